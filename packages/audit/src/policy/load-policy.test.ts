import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { StartupError } from '@apiserver/component-base/process';
import { expect, it, onTestFinished } from 'vitest';
import { loadPolicy, loadPolicyFile } from './load-policy.js';

const HEAD = 'apiVersion: audit.k8s.io/v1\nkind: Policy\n';

it('decodes a policy', () => {
  const text = `${HEAD}omitStages: [RequestReceived]
rules:
- level: Request
  users: [a]
  userGroups: [g]
  verbs: [get]
  resources: [{group: apps, resources: ["*/scale"], resourceNames: [name]}]
  namespaces: [""]
  omitStages: [Panic]
  omitManagedFields: false
- level: None
  nonResourceURLs: [/healthz*, "*"]
`;
  expect(loadPolicy(Buffer.from(text), createTestLogger().logger)).toMatchObject({
    omitStages: ['RequestReceived'],
    rules: [
      {
        level: 'Request',
        users: ['a'],
        userGroups: ['g'],
        verbs: ['get'],
        namespaces: [''],
        resources: [{ group: 'apps', resources: ['*/scale'], resourceNames: ['name'] }],
        omitStages: ['Panic'],
        omitManagedFields: false,
      },
      { level: 'None', nonResourceURLs: ['/healthz*', '*'] },
    ],
  });
});

it.each<[string, string, string]>([
  [
    'another version',
    'apiVersion: audit.k8s.io/v1beta1\nkind: Policy',
    'failed decoding: no kind "Policy" is registered for version "audit.k8s.io/v1beta1" in scheme "pkg/audit/scheme.go:30"',
  ],
  ['no kind and no rules', 'apiVersion: audit.k8s.io/v1', 'loaded illegal policy with 0 rules'],
  [
    'no version',
    'kind: Policy\nrules: [{level: None}]',
    'unknown group version field audit.k8s.io/__internal, Kind=Policy in policy',
  ],
  [
    'another kind without a version',
    'kind: Other',
    'failed decoding: no kind "Other" is registered for the internal version of group "audit.k8s.io" in scheme "pkg/audit/scheme.go:30"',
  ],
  ['no rules', HEAD, 'loaded illegal policy with 0 rules'],
  ['a level that is missing', `${HEAD}rules: [{users: [a]}]`, 'rules[0].level: Required value'],
  [
    'an unknown level and stage',
    `${HEAD}rules: [{level: Me<ta, omitStages: [Late]}]`,
    '[rules[0].level: Unsupported value: "Me\\u003cta": supported values: "None", "Metadata", "Request", "RequestResponse", rules[0].omitStages[0]: Invalid value: "Late": allowed stages are RequestReceived,ResponseStarted,ResponseComplete,Panic]',
  ],
  [
    'paths with resources',
    `${HEAD}rules: [{level: None, nonResourceURLs: ["healthz", "/a*b"], namespaces: [x]}]`,
    `[rules[0].nonResourceURLs[0]: Invalid value: "healthz": non-resource URL rules must begin with a '/' character, rules[0].nonResourceURLs[1]: Invalid value: "/a*b": non-resource URL wildcards '*' must be the final character of the rule, rules[0].nonResourceURLs: Invalid value: ["healthz","/a*b"]: rules cannot apply to both regular resources and non-resource URLs]`,
  ],
  [
    'a group with a version, and names without resources',
    `${HEAD}rules: [{level: None, resources: [{group: "rbac/v1", resourceNames: [a]}]}]`,
    `[rules[0].resources.group: Invalid value: "rbac/v1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*'), rules[0].resources.resourceNames: Invalid value: ["a"]: using resourceNames requires at least one resource]`,
  ],
])("refuses %s in upstream's words", (_, text, message) => {
  expect(() => loadPolicy(Buffer.from(text), createTestLogger().logger)).toThrow(new StartupError(message));
});

it('warns about unknown fields, and goes on', () => {
  const { logger, lines } = createTestLogger();
  const policy = loadPolicy(Buffer.from(`${HEAD}rules: [{level: None, verb: [get]}]`), logger);
  expect(policy.rules).toEqual([{ level: 'None' }]);
  expect(JSON.stringify(lines)).toContain(
    'Audit policy contains errors, falling back to lenient decoding: strict decoding error: unknown field \\"rules[0].verb\\"',
  );
});

it('names the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-policy-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const { logger } = createTestLogger();
  const missing = join(folder, 'a');
  expect(() => loadPolicyFile(missing, logger)).toThrow(
    new StartupError(`failed to read file path "${missing}": open ${missing}: no such file or directory`),
  );
  writeFileSync(missing, HEAD);
  expect(() => loadPolicyFile(missing, logger)).toThrow(
    new StartupError(`loaded illegal policy with 0 rules: from file ${missing}`),
  );
});
