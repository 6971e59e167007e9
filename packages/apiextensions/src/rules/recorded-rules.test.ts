import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CustomResourceDefinition } from '@apiserver/api/apiextensions/v1';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInMemory, until } from '../testing/memory-server.js';

/** Upstream's responses; not part of the repository. */
const RECORDED = join(import.meta.dirname, '../../../../../shared/oracles/crd-rules.json');
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

interface Cause {
  readonly field: string;
  readonly reason: string;
  readonly message: string;
}

interface RecordedResponse {
  /** Not there where upstream closed the connection. */
  readonly code?: number;
  readonly status?: { readonly message: string; readonly details?: { readonly causes?: readonly Cause[] } };
  readonly object?: { readonly spec?: unknown; readonly status?: unknown };
  readonly warnings?: readonly string[];
}

interface RecordedStep {
  readonly op: 'create' | 'update' | 'status';
  readonly name: string;
  readonly object: { readonly metadata?: object };
  readonly expect: RecordedResponse;
}

interface RecordedCase {
  readonly name: string;
  readonly crd: CustomResourceDefinition;
  readonly crdExpect: RecordedResponse;
  readonly steps?: readonly RecordedStep[];
  /** True if the first object was made before the rules and limits. */
  readonly firstObjectUnderRelaxedSchema?: boolean;
}

const cases: readonly RecordedCase[] = existsSync(RECORDED) ? JSON.parse(readFileSync(RECORDED, 'utf8')).cases : [];

type Server = ReturnType<typeof startInMemory>;

describe.skipIf(cases.length === 0)('recorded definitions with rules (need ../shared)', () => {
  let server: Server;
  beforeAll(async () => {
    server = startInMemory();
    await server.started;
  });
  afterAll(() => server.stop());

  it.each(cases.map((one) => [one.name, one] as const))('%s', async (_name, recorded) => {
    const { crd, crdExpect, steps = [], firstObjectUnderRelaxedSchema: relaxed = false } = recorded;
    const first = relaxed ? JSON.stringify(crd, withoutLimits) : JSON.stringify(crd);
    const made = await server.ask({ method: 'POST', path: DEFINITIONS, body: first });
    if (crdExpect.code === undefined) return;
    expect(shown(made, crdExpect)).toEqual(expected(crdExpect));
    if (made.code !== 201) return;
    const base = `/apis/${crd.spec.group}/${crd.spec.versions?.[0]?.name}/${crd.spec.names.plural}`;
    await until(server, base, () => true);
    for (const [index, step] of steps.entries()) {
      if (relaxed && index === 1) await redefine(server, crd);
      expect([step.op, step.name, await take(server, crd, base, step)]).toEqual([
        step.op,
        step.name,
        expected(step.expect),
      ]);
    }
    await server.ask({ method: 'DELETE', path: `${DEFINITIONS}/${crd.metadata.name}` });
  });
});

function withoutLimits(key: string, value: unknown): unknown {
  return /^(x-kubernetes-validations|maxLength|maximum|pattern|required)$/.test(key) ? undefined : value;
}

/** Puts a definition, and waits until its schema is published: its rules hold then. */
async function redefine(server: Server, crd: CustomResourceDefinition): Promise<void> {
  const path = `${DEFINITIONS}/${crd.metadata.name}`;
  const { json } = await server.ask({ method: 'GET', path });
  const body = JSON.stringify({
    ...crd,
    metadata: { ...crd.metadata, resourceVersion: json.metadata.resourceVersion },
  });
  await server.ask({ method: 'PUT', path, body });
  const tries = `/apis/${crd.spec.group}/v1/${crd.spec.names.plural}?dryRun=All`;
  const broken = JSON.stringify({
    apiVersion: `${crd.spec.group}/v1`,
    kind: crd.spec.names.kind,
    metadata: { name: 'other' },
    spec: { e: 'long' },
  });
  while ((await server.ask({ method: 'POST', path: tries, body: broken })).code !== 422);
}

async function take(server: Server, crd: CustomResourceDefinition, base: string, step: RecordedStep) {
  const path = `${base}/${step.name}`;
  const old = step.op === 'create' ? undefined : await server.ask({ method: 'GET', path });
  const body = JSON.stringify({
    apiVersion: `${crd.spec.group}/${crd.spec.versions?.[0]?.name}`,
    kind: crd.spec.names.kind,
    ...step.object,
    metadata: { name: step.name, ...step.object.metadata, resourceVersion: old?.json.metadata.resourceVersion },
  });
  const strict = 'fieldValidation=Strict';
  const request =
    step.op === 'create'
      ? { method: 'POST', path: `${base}?${strict}` }
      : { method: 'PUT', path: step.op === 'status' ? `${path}/status` : `${path}?${strict}` };
  return shown(await server.ask({ ...request, body }), step.expect);
}

function expected({ code, status, object, warnings = [] }: RecordedResponse) {
  return { code, ...contents(status, object), warnings: warnings.map(warningText).sort() };
}

function shown({ code, json, warnings }: Awaited<ReturnType<Server['ask']>>, recorded: RecordedResponse) {
  return { code, ...contents(json.kind === 'Status' ? json : undefined, recorded.object && json), warnings };
}

/** Some were recorded as headers. */
function warningText(recorded: string): string {
  const [, quoted] = /^299 - (".*")$/s.exec(recorded) ?? [];
  return quoted === undefined ? recorded : JSON.parse(quoted);
}

/** The causes of a refusal in any order, or what the object has besides metadata. */
function contents(status: RecordedResponse['status'], object: RecordedResponse['object']) {
  if (status === undefined) return object === undefined ? {} : { spec: object.spec, status: object.status };
  const causes = (status.details?.causes ?? []).map(({ field, reason, message }) =>
    // Upstream names four of the rules that cost the same, which four is random.
    message.includes('contributed to') ? `${reason} ${message}` : `${field} ${reason} ${message}`,
  );
  return { causes: causes.sort(), ...(causes.length < 2 && { message: status.message }) };
}
