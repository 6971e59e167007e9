import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInMemory } from '../testing/memory-server.js';

/** Upstream's responses; not part of the repository. */
const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/crd-rules.json');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

interface RecordedAnswer {
  readonly code: number;
  readonly status?: { readonly reason: string; readonly message: string; readonly details?: { causes?: Cause[] } };
}

interface RecordedCase {
  readonly name: string;
  readonly crd: CustomResourceDefinition;
  readonly crdExpect: RecordedAnswer;
}

/** Messages that need the evaluation of expressions, or their costs. */
const EVALUATED = /cost|above ten|self\.a < self\.b|program instantiation/;

const cases: readonly RecordedCase[] = existsSync(RECORDED) ? readCases() : [];

function readCases(): readonly RecordedCase[] {
  const all: readonly RecordedCase[] = JSON.parse(readFileSync(RECORDED, 'utf8')).cases;
  return all.filter(({ crdExpect: { code, status } }) => code === 422 && !EVALUATED.test(JSON.stringify(status)));
}

describe.skipIf(cases.length === 0)('recorded definitions with rules (need ../shared)', () => {
  let server: ReturnType<typeof startInMemory>;
  beforeAll(async () => {
    server = startInMemory();
    await server.started;
  });
  afterAll(() => server.stop());

  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, { crd, crdExpect }) => {
    const expected = causesOf(crdExpect.status);
    const { code, json } = await server.ask({ method: 'POST', path: DEFINITIONS, body: JSON.stringify(crd) });
    expect([code, causesOf(json)]).toEqual([422, expected]);
  });
});

function causesOf(status: RecordedAnswer['status']): readonly string[] {
  return (status?.details?.causes ?? [])
    .map(({ field, reason, message }) => `${field} ${reason} ${message}`)
    .filter((cause) => !cause.includes('does not evaluate validation rules yet'))
    .sort();
}
