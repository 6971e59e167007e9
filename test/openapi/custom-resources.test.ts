import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { AdminClient } from '../harness/admin-client.ts';
import { repositoryRoot, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { comparable, type Document } from './comparable.ts';
import { type Definition, definitions } from './definitions.ts';

const folder = join(repositoryRoot, 'test/openapi');
const missing = modulesMissing(folder);
/** A machine that has never compiled the modules takes a while. */
const compileDeadlineMs = 8 * 60_000;

interface UpstreamDocuments {
  readonly v2: Document;
  readonly v3: Readonly<Record<string, Document>>;
  /** Of each document that was asked about, where its protobuf form differs; "": nowhere. */
  readonly differences: readonly string[];
}

/** The documents of custom resources as the library of upstream makes them; see upstream/main.go. */
function upstreamDocuments(program: string, question: object): UpstreamDocuments {
  const options = { input: JSON.stringify(question), encoding: 'utf8', maxBuffer: 2 ** 28 } as const;
  const { status, stdout, stderr } = spawnSync(program, options);
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

describe.skipIf(missing !== undefined)(
  `OpenAPI of custom resources beside upstream’s builder${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new AsyncDisposableStack();
    let client: AdminClient;
    let upstream: UpstreamDocuments;
    let program: string;

    const get = async (path: string): Promise<Document> => JSON.parse((await client.request('GET', path)).body);

    async function established({ metadata: { name } }: Definition): Promise<Document> {
      for (;;) {
        const stored = await get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`);
        if (JSON.stringify(stored['status']).includes('"type":"Established","status":"True"')) return stored;
        if (JSON.stringify(stored['status']).includes('"status":"True","type":"Established"')) return stored;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    }

    beforeAll(async () => {
      program = join(resources.use(temporaryDirectory('openapi')).path, 'upstream');
      const built = spawnSync('go', ['build', '-o', program, './upstream'], { cwd: folder, encoding: 'utf8' });
      expect([built.status, built.stderr]).toEqual([0, '']);
      const server = resources.use(await startApiServer());
      client = resources.use(new AdminClient(server.kubeconfig));
      const before = await get('/openapi/v2');
      const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      for (const definition of definitions) {
        const { status, body } = await client.request('POST', path, definition);
        expect([status, body]).toEqual([201, expect.any(String)]);
      }
      const stored = await Promise.all(definitions.map(established));
      upstream = upstreamDocuments(program, { static: before, definitions: stored });
    }, compileDeadlineMs);

    afterAll(() => resources.disposeAsync());

    it('is the same in version 2, beside all that is built in', async () => {
      expect(comparable(await get('/openapi/v2'))).toEqual(comparable(upstream.v2));
    });

    it.each([
      ['v2', 'openapi/v2'],
      ['v3', 'openapi/v3/api/v1'],
      ['v3', 'openapi/v3/apis/documents.example.com/v1'],
      ['v3', 'openapi/v3/version'],
    ])('says the same in protobuf (%s): /%s', async (version, path) => {
      const forms = {
        json: 'application/json',
        protobuf: `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`,
      };
      const bytes = async (accept: string) => (await client.bytes(`/${path}`, { accept })).toString('base64');
      const requested = { version, json: await bytes(forms.json), protobuf: await bytes(forms.protobuf) };
      expect(upstreamDocuments(program, { documents: [requested] }).differences).toEqual(['']);
    });

    it('is the same in version 3', async () => {
      const index = Object.keys((await get('/openapi/v3'))['paths'] as object);
      const names = index.filter((name) => /^apis\/.*\.example\./.test(name));
      expect(names).toEqual(Object.keys(upstream.v3).toSorted());
      for (const name of names) {
        expect([name, comparable(await get(`/openapi/v3/${name}`))]).toEqual([name, comparable(upstream.v3[name])]);
      }
    });
  },
);
