import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { mandatoryFlowSchemas, suggestedFlowSchemas } from './flow-schemas.js';
import { mandatoryPriorityLevels, suggestedPriorityLevels } from './priority-levels.js';

const FILE = new URL('../testing/testdata/bootstrap.json', import.meta.url);
/** As k8s.io/apiserver v0.36.6 has them. */
const recorded: Readonly<Record<string, readonly object[]>> = JSON.parse(readFileSync(FILE, 'utf8'));

const own = { mandatoryFlowSchemas, suggestedFlowSchemas, mandatoryPriorityLevels, suggestedPriorityLevels };

it.each(Object.entries(own))('%s are those of upstream', (name, objects) => {
  const bare = objects.map(({ metadata, spec, status }) => ({ metadata, spec, status }));
  expect(bare).toEqual(recorded[name]);
});
