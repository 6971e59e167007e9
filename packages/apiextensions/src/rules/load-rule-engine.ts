import type { RuleEngine } from './rule-engine.js';
import { noRuleObserver, type RuleObserver } from './rule-metrics.js';

/** Loads the engine, which takes megabytes: a server without rules never does. */
export async function loadRuleEngine(observer: RuleObserver = noRuleObserver): Promise<RuleEngine> {
  const { CelRuleEngine } = await import('./cel-rule-engine.js');
  return new CelRuleEngine(observer);
}
