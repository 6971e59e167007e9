import { it } from 'vitest';
import { DEFINITIONS } from '../../harness/custom-resource-definition.ts';
import type { Random } from '../../watch/random.ts';
import { compareCases } from '../compare-cases.ts';
import {
  customResources,
  type DefinitionCase,
  definitionOfT,
  differenceOf,
  RESOURCES,
} from '../custom-resource-case.ts';
import type { SentRequest } from '../our-server.ts';
import { randomValueOf, type Schema } from '../random-definition.ts';
import { describeUpstream } from '../upstream-program.ts';
import { soundSchema } from './random-sound-rule.ts';

/** Writes to two objects after the definition. */
const STEPS = 14;
const json = 'application/json';

/** A definition whose rules mostly compile, objects that break some of them, and a change of the definition. */
function randomCase(random: Random): DefinitionCase {
  const schema = soundSchema(random);
  const changeAt = random.chance(0.3) ? random.below(STEPS) : -1;
  const requests = [sent('POST', DEFINITIONS, json, definitionOf(random, schema))];
  for (let step = 0; step < STEPS; step++) {
    if (step !== changeAt) requests.push(write(random, schema));
    else {
      const { spec } = definitionOf(random, soundSchema(random));
      const patch = [{ op: 'replace', path: '/spec', value: spec }];
      requests.push(sent('PATCH', `${DEFINITIONS}/ts.g.io`, 'application/json-patch+json', patch));
    }
  }
  return { requests };
}

function definitionOf(random: Random, schema: Schema) {
  const text = random.of(['old', '', 'a\nb', 'x'.repeat(257), 'é\u200b']);
  const warning = random.chance(0.1) ? { deprecationWarning: text } : {};
  const openAPIV3Schema = { type: 'object', properties: { spec: schema } };
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } };
  return definitionOfT([{ ...version, ...(random.chance(0.1) && { deprecated: true }), ...warning }]);
}

function write(random: Random, schema: Schema): SentRequest {
  const name = random.of(['x', 'y']);
  const spec = randomValueOf(random, schema, 0.01);
  const object = { apiVersion: 'g.io/v1', kind: 'T', metadata: { name }, spec };
  const kind = random.next();
  if (kind < 0.3) return sent('POST', RESOURCES, json, object);
  if (kind < 0.6) return sent('PATCH', `${RESOURCES}/${name}`, 'application/merge-patch+json', { spec });
  if (kind < 0.9) {
    const part = random.of(['n', 's', 'l', 'q', 'm', 'o', 't', 'p']);
    const value = randomValueOf(random, schema.properties?.[part] ?? {}, 0.01);
    return sent('PATCH', `${RESOURCES}/${name}`, 'application/merge-patch+json', { spec: { [part]: value } });
  }
  return sent('PATCH', `${RESOURCES}/${name}`, 'application/merge-patch+json', { metadata: { labels: { a: 'b' } } });
}

function sent(method: string, url: string, contentType: string, body: object): SentRequest {
  return {
    method,
    url: `${url}?fieldManager=m`,
    contentType,
    body: Buffer.from(JSON.stringify(body)).toString('base64'),
  };
}

describeUpstream('rules that mostly compile', (upstream) => {
  it('have upstream’s errors, messages and warnings', () =>
    compareCases(upstream(), { ...customResources, randomCase, difference: differenceOf }));
});
