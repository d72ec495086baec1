// Why: tells the type checker that a style sheet may be imported.
declare module '*.css';
