import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { bootstrapPolicy } from './bootstrap-policy.js';

/** The OpenAPI document of a real 1.36 server, which is not part of the repository. */
const document = new URL('../../../../../shared/facts/openapi-v2-1.36.json', import.meta.url);

/** Resources in upstream's roles that no 1.36 server serves. */
const UNSERVED = [
  /^\*|\/\*|^extensions |metrics\.k8s\.io /,
  /\/finalizers$/,
  /^ nodes\/(metrics|stats|log|pods|healthz|configz)$/,
  /^ endpoints\/restricted$/,
  /^apps deployments\/rollback$/,
  /^resource\.k8s\.io resourceclaims\/binding$/,
  /^certificates\.k8s\.io (signers|certificatesigningrequests\/(self)?nodeclient)$/,
];

const VERBS =
  '* get list watch create update patch delete deletecollection impersonate proxy approve sign escalate'.split(' ');

/** `group resource/subresource` of every path. */
function servedResources(): Set<string> {
  const { paths } = JSON.parse(readFileSync(document, 'utf8')) as { paths: Record<string, unknown> };
  const served = new Set<string>();
  for (const path of Object.keys(paths)) {
    const parts =
      /^\/(?:api|apis\/([^/]+))\/v[^/]+\/(?:namespaces\/\{namespace\}\/)?([^/{]+)(?:\/\{name\}(?:\/([^/]+))?)?/;
    const [, group = '', resource = '', subresource] = parts.exec(path) ?? [];
    served.add(`${group} ${resource}${subresource === undefined ? '' : `/${subresource}`}`);
  }
  return served;
}

const rules = [...bootstrapPolicy().clusterRoles, ...bootstrapPolicy().roles].flatMap(({ rules }) => rules ?? []);

describe('the resources and verbs of the bootstrap policy', () => {
  it('are known verbs', () => {
    expect([...new Set(rules.flatMap(({ verbs }) => verbs ?? []))].filter((verb) => !VERBS.includes(verb))).toEqual([]);
  });

  it.skipIf(!existsSync(document))('are resources that there are (skipped without ../shared/facts)', () => {
    const served = servedResources();
    const unknown = rules.flatMap(({ apiGroups = [], resources = [] }) =>
      resources.filter((resource) => {
        const named = apiGroups.map((group) => `${group} ${resource}`);
        return !named.some((name) => served.has(name) || UNSERVED.some((pattern) => pattern.test(name)));
      }),
    );
    expect(unknown).toEqual([]);
  });
});
