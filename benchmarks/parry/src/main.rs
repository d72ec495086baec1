// Answers one question about a pair of convex shapes in many poses with parry, and measures itself.
// Usage: parry_convex INPUT OUTPUT. parry_convex_peer.cpp writes the input and reads the output.
// Input, separated by white space: question, rounds, two shapes, number of poses, and for each pose the translation
// (x y z) and the quaternion (x y z w) of both shapes. Lengths in metres.
// Output: JSON, one entry for each of parry's calls that answers the question, with the smallest time of a round.
use parry3d_f64::math::{Pose, Rotation, Vector};
use parry3d_f64::query::{self, ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, Shape, SharedShape};
use std::fmt::Write;
use std::str::{FromStr, SplitAsciiWhitespace};
use std::time::Instant;

struct Words<'a>(SplitAsciiWhitespace<'a>);

impl<'a> Words<'a> {
    fn word(&mut self) -> &'a str {
        self.0.next().expect("the input ends early")
    }
    fn next<T: FromStr>(&mut self) -> T {
        let word = self.word();
        word.parse().unwrap_or_else(|_| panic!("not a number: {word}"))
    }
    fn vector(&mut self) -> Vector {
        Vector::new(self.next(), self.next(), self.next())
    }
    fn pose(&mut self) -> Pose {
        let translation = self.vector();
        let rotation = Rotation::from_xyzw(self.next(), self.next(), self.next(), self.next());
        Pose::from_parts(translation, rotation)
    }
    // parry's cylinder is along y: the second pose turns it to z.
    fn shape(&mut self) -> (SharedShape, Pose) {
        let unturned = Pose::identity();
        match self.word() {
            "sphere" => (SharedShape::new(Ball::new(self.next())), unturned),
            "box" => (SharedShape::new(Cuboid::new(0.5 * self.vector())), unturned),
            "capsule" => {
                let (radius, length): (f64, f64) = (self.next(), self.next());
                (SharedShape::new(Capsule::new_z(0.5 * length, radius)), unturned)
            }
            "cylinder" => {
                let (radius, length): (f64, f64) = (self.next(), self.next());
                let turn = Pose::rotation(Vector::X * std::f64::consts::FRAC_PI_2);
                (SharedShape::new(Cylinder::new(0.5 * length, radius)), turn)
            }
            "hull" => {
                let count: usize = self.next();
                let points: Vec<Vector> = (0..count).map(|_| self.vector()).collect();
                let hull = ConvexPolyhedron::from_convex_hull(&points).expect("no convex hull");
                (SharedShape::new(hull), unturned)
            }
            other => panic!("unknown shape: {other}"),
        }
    }
}

#[derive(Clone, Copy, Default)]
struct Answer {
    touching: bool,
    points: usize,
    distance: Option<f64>,
}

struct Scene {
    a: SharedShape,
    b: SharedShape,
    poses: Vec<(Pose, Pose)>,
}

type Call = Box<dyn FnMut(&Pose, &Pose, &dyn Shape, &dyn Shape) -> Answer>;

fn intersects(a: &Pose, b: &Pose, shape_a: &dyn Shape, shape_b: &dyn Shape) -> Answer {
    let found = query::intersection_test(a, shape_a, b, shape_b).expect("unsupported");
    Answer {
        touching: found.intersecting,
        ..Answer::default()
    }
}

fn deepest_contact(a: &Pose, b: &Pose, shape_a: &dyn Shape, shape_b: &dyn Shape) -> Answer {
    match query::contact(a, shape_a, b, shape_b, 0.0).expect("unsupported") {
        Some(contact) if contact.dist <= 0.0 => Answer {
            touching: true,
            points: 1,
            distance: Some(contact.dist),
        },
        _ => Answer::default(),
    }
}

fn distance(a: &Pose, b: &Pose, shape_a: &dyn Shape, shape_b: &dyn Shape) -> Answer {
    let found = query::distance(a, shape_a, b, shape_b).expect("unsupported").distance;
    let touching = found <= 0.0;
    Answer {
        touching,
        points: 0,
        distance: if touching { None } else { Some(found) },
    }
}

// All contact points. Those of the pose before are dropped: random poses have nothing in common.
fn manifolds() -> Call {
    let mut found: Vec<ContactManifold<(), ()>> = Vec::new();
    let mut workspace = None;
    Box::new(move |a, b, shape_a, shape_b| {
        if let Some(manifold) = found.first_mut() {
            manifold.points.clear();
        }
        DefaultQueryDispatcher
            .contact_manifolds(&a.inv_mul(b), shape_a, shape_b, 0.0, &mut found, &mut workspace)
            .expect("unsupported");
        let mut answer = Answer::default();
        for point in found[0].points.iter().filter(|point| point.dist <= 0.0) {
            answer.touching = true;
            answer.points += 1;
            answer.distance = Some(answer.distance.map_or(point.dist, |d| d.min(point.dist)));
        }
        answer
    })
}

struct Rival {
    question: &'static str,
    name: &'static str,
    call: Call,
}

fn rivals() -> Vec<Rival> {
    vec![
        Rival {
            question: "collide",
            name: "parry",
            call: Box::new(intersects),
        },
        Rival {
            question: "contacts",
            name: "parry",
            call: Box::new(deepest_contact),
        },
        Rival {
            question: "contacts",
            name: "parry (manifold)",
            call: manifolds(),
        },
        Rival {
            question: "distance",
            name: "parry",
            call: Box::new(distance),
        },
    ]
}

fn joined<T>(answers: &[Answer], mut item: impl FnMut(&Answer) -> T) -> String
where
    T: ToString,
{
    let items: Vec<String> = answers.iter().map(|answer| item(answer).to_string()).collect();
    items.join(",")
}

fn json(name: &str, nanoseconds: f64, answers: &[Answer]) -> String {
    let mut text = String::new();
    write!(
        text,
        "{{\"name\":\"{name}\",\"nanoseconds\":{nanoseconds},\"touching\":[{}],\"points\":[{}],\"distance\":[{}]}}",
        joined(answers, |answer| answer.touching),
        joined(answers, |answer| answer.points),
        joined(answers, |answer| answer
            .distance
            .map_or("null".to_string(), |d| format!("{d:e}"))),
    )
    .expect("out of memory");
    text
}

// All calls in turn, also those of other questions: the processor knows the branches no better than in race().
fn measure(scene: &Scene, question: &str, rounds: usize) -> String {
    let mut rivals = rivals();
    let mut answers = vec![vec![Answer::default(); scene.poses.len()]; rivals.len()];
    let mut best = vec![f64::INFINITY; rivals.len()];
    for _ in 0..rounds {
        for (k, rival) in rivals.iter_mut().enumerate() {
            let start = Instant::now();
            for ((a, b), answer) in scene.poses.iter().zip(answers[k].iter_mut()) {
                *answer = (rival.call)(a, b, &*scene.a, &*scene.b);
            }
            best[k] = best[k].min(start.elapsed().as_secs_f64());
        }
    }
    let per_query = 1e9 / scene.poses.len() as f64;
    let entries: Vec<String> = (0..rivals.len())
        .filter(|&k| rivals[k].question == question)
        .map(|k| json(rivals[k].name, best[k] * per_query, &answers[k]))
        .collect();
    format!("[{}]\n", entries.join(",\n"))
}

fn main() {
    let files: Vec<String> = std::env::args().skip(1).collect();
    assert!(files.len() == 2, "usage: parry_convex INPUT OUTPUT");
    let input = std::fs::read_to_string(&files[0]).expect("cannot read the input");
    let mut words = Words(input.split_ascii_whitespace());
    let question = words.word();
    let rounds = words.next();
    let ((a, turn_a), (b, turn_b)) = (words.shape(), words.shape());
    let count: usize = words.next();
    let poses = (0..count)
        .map(|_| (words.pose() * turn_a, words.pose() * turn_b))
        .collect();
    let text = measure(&Scene { a, b, poses }, question, rounds);
    std::fs::write(&files[1], text).expect("cannot write the output");
}
