import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';
import { DEFINITIONS } from '../harness/custom-resource-definition.ts';

const folder = process.env['CRD_FOLDER'] ?? '';
const WITHOUT_FOLDER = 'CRD_FOLDER names no folder with definitions';
const isDefinition = /^kind: CustomResourceDefinition\s*$/m;
/** Others are patches of a definition, or in a version that is no longer served. */
const isWhole = /^apiVersion: apiextensions\.k8s\.io\/v1\s*$[\s\S]*^ {2}scope: /m;
/** A chart's template is no YAML. */
const isTemplate = /\{\{/;

/** Definitions of a folder of manifests, such as the source of an operator, by file and number in the file. */
function definitionsIn(path: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (!/\.ya?ml$/.test(file)) continue;
    const text = readFileSync(join(path, file), 'utf8');
    if (!isDefinition.test(text)) continue;
    for (const [index, document] of text.split(/^---.*$/m).entries()) {
      if (isDefinition.test(document) && isWhole.test(document) && !isTemplate.test(document)) {
        found.set(`${file}#${index}`, document);
      }
    }
  }
  return found;
}

/** The reason of a refusal; undefined for a definition that is created, perhaps in place of one of the same name. */
async function refusal(client: AdminClient, manifest: string): Promise<string | undefined> {
  const post = () => client.request('POST', DEFINITIONS, manifest, { 'content-type': 'application/yaml' });
  let created = await post();
  while (created.status === 409) {
    await client.request('DELETE', `${DEFINITIONS}/${JSON.parse(created.body).details.name}`);
    await sleep(20);
    created = await post();
  }
  return created.status === 201 ? undefined : JSON.parse(created.body).message;
}

interface Conditions {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] | null };
}

const isEstablished = ({ status }: Conditions) =>
  (status.conditions ?? []).some(({ type, status }) => type === 'Established' && status === 'True');

describe.skipIf(folder === '')(`the definitions of a folder (${WITHOUT_FOLDER})`, () => {
  it('are all created and established', { timeout: 300_000 }, async () => {
    await using server = await startApiServer();
    using client = new AdminClient(server.kubeconfig);
    const refusals: string[] = [];
    const definitions = definitionsIn(folder);
    for (const [place, manifest] of definitions) {
      const reason = await refusal(client, manifest);
      if (reason !== undefined) refusals.push(`${place}: ${reason}`);
    }
    let items: readonly Conditions[] = [];
    do {
      await sleep(100);
      ({ items } = (await client.json('GET', DEFINITIONS)) as { items: readonly Conditions[] });
    } while (!items.every(isEstablished));
    console.log(`${definitions.size} definitions, ${items.length} of different names are established`);
    expect(refusals).toEqual([]);
    expect(definitions.size).toBeGreaterThan(0);
  });
});
