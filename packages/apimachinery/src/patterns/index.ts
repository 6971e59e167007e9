export {
  type CompilePattern,
  compileTogether,
  type FindPattern,
  loadPatternEngine,
  type MatchPattern,
  newPatternBudget,
  PatternError,
  patternEngine,
} from './pattern-engine.js';
export type { PatternBudget } from './pattern-matcher.js';
export { patternSize } from './pattern-size.js';
