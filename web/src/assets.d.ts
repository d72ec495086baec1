// Declares style sheets as importable modules for the type checker.
declare module '*.css';
