import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiServer, startApiServer } from '../harness/api-server.ts';
import { customResourceDefinition } from '../harness/custom-resource-definition.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';

const missing = kubectlMissing();

interface Rule {
  readonly rule: string;
  readonly message?: string;
}

/** A kind with a minimum and a maximum of replicas, and a note. */
function scalers(...rules: readonly Rule[]) {
  const integer = { type: 'integer' };
  const spec = {
    type: 'object',
    properties: { min: integer, max: integer, note: { type: 'string', maxLength: 20 } },
    'x-kubernetes-validations': rules,
  };
  return customResourceDefinition('rules.example.com', 'Scaler', { properties: { spec } });
}

const scaler = (name: string, spec: object) => ({
  apiVersion: 'rules.example.com/v1',
  kind: 'Scaler',
  metadata: { name },
  spec,
});

const inOrder: Rule = { rule: 'self.min <= self.max', message: 'min must not be above max' };

describe.skipIf(missing !== undefined)(`kubectl and rules${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let server: ApiServer;
  let kubectl: Kubectl;

  beforeAll(async () => {
    server = await startApiServer();
    kubectl = new Kubectl(server.kubeconfig);
  });
  afterAll(async () => {
    kubectl?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
  });

  const apply = (object: object) => kubectl.applied(object);

  /** Applies an object again until the response is another than `old`: a changed definition holds a moment later. */
  async function applyUntilNot(old: RegExp, object: object): Promise<string> {
    for (;;) {
      const response = await apply(object);
      if (!old.test(response)) return response;
    }
  }

  it('a definition with a wrong rule is refused, and taken once it is corrected', async () => {
    const refused = await apply(scalers({ rule: 'self.min <= self.maximum' }));
    expect(refused).toContain(
      'spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule: Invalid value:',
    );
    expect(refused).toContain("compilation failed: ERROR: <input>:1:17: undefined field 'maximum'");
    expect(refused).toContain(' | self.min <= self.maximum\n | ................^');
    expect(await apply(scalers(inOrder))).toContain('scalers.rules.example.com created');
    await kubectl.established('scalers.rules.example.com');
  });

  it('an object that breaks a rule is refused with its message', async () => {
    expect(await apply(scaler('a', { min: 3, max: 2 }))).toBe(
      'The Scaler "a" is invalid: spec: Invalid value: min must not be above max',
    );
    expect(await apply(scaler('a', { min: 1, max: 2 }))).toBe('scaler.rules.example.com/a created');
  });

  it('an old object that breaks a new rule may be labelled, but not changed for the worse', async () => {
    const few: Rule = { rule: 'self.max < 2', message: 'at most one' };
    await apply(scalers(inOrder, few));
    const refused = await applyUntilNot(/created|unchanged|configured/, scaler('b', { min: 1, max: 2 }));
    expect(refused).toBe('The Scaler "b" is invalid: spec: Invalid value: at most one');
    expect(await kubectl.ok(['label', 'scaler', 'a', 'x=y'])).toContain('scaler.rules.example.com/a labeled');
    expect(await apply(scaler('a', { min: 1, max: 2, note: 'hello' }))).toContain('spec: Invalid value: at most one');
    expect(await apply(scaler('a', { min: 1, max: 1 }))).toContain('configured');
  });
});
