import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { messageOf } from '@apiserver/apimachinery/errors';
import { afterAll, describe, expect, it } from 'vitest';
import { conditionCompiler } from '../match-conditions/compile-conditions.js';
import type { AuthorizationConfiguration } from './authorization-configuration.js';
import { loadConfiguration } from './load-configuration.js';

interface Recorded {
  readonly name: string;
  readonly text: string;
  /** Upstream's message. */
  readonly error?: string;
  readonly configuration?: AuthorizationConfiguration;
}

const folder = mkdtempSync(join(tmpdir(), 'authorization-'));
const file = join(folder, 'kubeconfig');
writeFileSync(file, '');
afterAll(() => rmSync(folder, { recursive: true }));

/**
 * Results of k8s.io/apiserver v0.36.6: load.LoadFromData, then ValidateAuthorizationConfiguration. `/FILE` is a file,
 * `/FOLDER` a folder.
 */
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('recorded-configurations.json', import.meta.url), 'utf8')
    .replaceAll('/FILE', file)
    .replaceAll('/FOLDER', folder),
);
const compiler = conditionCompiler();
const load = (text: string, requiredTypes?: ReadonlySet<string>) =>
  loadConfiguration(Buffer.from(text), { compiler, ...(requiredTypes && { requiredTypes }) });
const errorOf = (call: () => unknown) => {
  try {
    return { loaded: call() };
  } catch (error) {
    return messageOf(error);
  }
};

describe('loadConfiguration', () => {
  it.each(recorded)('$name', ({ text, error, configuration }) => {
    expect(errorOf(() => load(text))).toEqual(error ?? { loaded: configuration });
  });

  const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthorizationConfiguration\nauthorizers:\n';

  it('needs the names and types of the start', () => {
    const text = `${head}- {type: RBAC, name: roles}\n- {type: AlwaysDeny, name: alwaysdeny}\n`;
    expect(errorOf(() => load(text))).toBe('expected name rbac for authorizer RBAC instead of roles');
    expect(errorOf(() => load(text, new Set(['RBAC', 'Node', 'ABAC'])))).toBe(
      '[expected name rbac for authorizer RBAC instead of roles, missing required types: [ABAC Node]]',
    );
  });

  it.each(['null', '""'])('refuses the duration %s', (duration) => {
    const text = `${head}- {type: Webhook, name: w, webhook: {timeout: ${duration}}}\n`;
    expect(errorOf(() => load(text))).toBe(
      'failed to load AuthorizationConfiguration from file: time: invalid duration ""',
    );
  });

  it('bounds the conditions of a webhook', () => {
    const conditions = (count: number) =>
      Array.from({ length: count }, (_, i) => `      - expression: ${i} == 1\n`).join('');
    const text = (count: number) =>
      `${head}- type: Webhook\n  name: w\n  webhook:\n      timeout: 1s\n      subjectAccessReviewVersion: v1\n      matchConditionSubjectAccessReviewVersion: v1\n      failurePolicy: Deny\n      connectionInfo: {type: InClusterConfig}\n      matchConditions:\n${conditions(count)}`;
    expect(load(text(64)).authorizers[0]?.webhook?.matchConditions.length).toBe(64);
    expect(errorOf(() => load(text(65)))).toBe(
      'authorizers[0].matchConditions: Too many: 65: must have at most 64 items',
    );
  });
});
