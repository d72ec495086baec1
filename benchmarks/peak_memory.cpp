// Benchmarks: resident memory by /proc of Linux.
#include <benchmarks/peak_memory.h>

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <string>

namespace fathom::bench {

namespace {

double status_megabytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (double kibibytes = 0; word == key && status >> kibibytes) return kibibytes * 1024e-6;
    return 0;
}

} // namespace

double peak_megabytes(const std::function<void()>& work) {
    malloc_trim(0);                                // else the work would first use up what others have freed
    std::ofstream("/proc/self/clear_refs") << "5"; // the high-water mark starts anew
    const double before = status_megabytes("VmRSS:");
    work();
    return std::max(0.0, status_megabytes("VmHWM:") - before);
}

} // namespace fathom::bench
