import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { loadRemoteSpecConverter } from '@apiserver/endpoints-installer';
import { createTestExchange, responseBody } from '@apiserver/endpoints-installer/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modulesMissing } from '../envtest/go-tests.ts';
import { repositoryRoot, temporaryDirectory } from '../harness/api-server.ts';
import { Random } from '../watch/random.ts';
import { randomDocument } from './random-document.ts';

const folder = join(repositoryRoot, 'test/openapi');
const missing = modulesMissing(folder);
/** A machine that has never compiled the modules takes a while. */
const compileDeadlineMs = 8 * 60_000;
const CASES = 400;
const SEED = Number(process.env['OPENAPI_SEED'] ?? 1);
const TYPES = ['application/json', 'application/yaml', 'application/json', '*/*'] as const;

/** A document with the members that only a conversion reads. */
function legacyDocument(random: Random): string {
  const text = randomDocument(random);
  let document: Record<string, unknown>;
  try {
    document = JSON.parse(text);
  } catch {
    return '1';
  }
  const types = () => random.of<readonly string[]>([[], TYPES.slice(0, 1 + random.below(3))]);
  const { paths } = document;
  for (const item of Object.values(paths ?? {})) {
    for (const operation of Object.values((item ?? {}) as object)) {
      if (typeof operation !== 'object' || operation === null || !('responses' in operation)) continue;
      Object.assign(
        operation,
        random.chance(0.8) && { consumes: types() },
        random.chance(0.8) && { produces: types() },
      );
      Object.assign(operation, random.chance(0.1) && { externalDocs: { description: '' }, summary: 's' });
      Object.assign(operation.responses as object, random.chance(0.2) && { 404: { $ref: '#/responses/r' } });
    }
  }
  const scheme = () => ({
    type: 'oauth2',
    flow: random.of(['', 'implicit']),
    authorizationUrl: 'https://a',
    description: '',
    ...(random.chance(0.5) && { scopes: random.of<object>([{}, { a: 'b' }]), 'x-s': 1 }),
  });
  return JSON.stringify({
    ...document,
    ...(random.chance(0.3) && { securityDefinitions: { a: scheme(), b: { type: 'apiKey', name: 'n', in: 'header' } } }),
    ...(random.chance(0.3) && {
      produces: types(),
      responses: { r: { description: 'd', schema: { type: 'string' } } },
    }),
    ...(random.chance(0.2) && { externalDocs: { url: '', description: random.of(['', 'x']) } }),
    ...(random.chance(0.1) && { paths: { ...(paths as object), 'x-paths': [1], other: {} } }),
  });
}

/** The document of version 3; null where version 2 is malformed. */
async function converted(text: string): Promise<unknown> {
  const convert = await loadRemoteSpecConverter();
  const name = 'apis/example.com/v1';
  try {
    const { handler } = await convert({ text, name, now: Date.now });
    const response = await handler(createTestExchange({ url: `/openapi/v3/${name}` }));
    return JSON.parse(Buffer.from(await responseBody(response)).toString());
  } catch {
    return null;
  }
}

describe.skipIf(missing !== undefined)(
  `documents of version 2 that are converted beside kube-openapi’s conversion${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new DisposableStack();
    let program: string;

    beforeAll(() => {
      program = join(resources.use(temporaryDirectory('converted-documents')).path, 'upstream');
      const built = spawnSync('go', ['build', '-o', program, './upstream'], { cwd: folder, encoding: 'utf8' });
      expect([built.status, built.stderr]).toEqual([0, '']);
    }, compileDeadlineMs);
    afterAll(() => resources.dispose());

    it(`are the same for ${CASES} random documents (seed ${SEED})`, { timeout: 240_000 }, async () => {
      const random = new Random(SEED);
      const documents = Array.from({ length: CASES }, () => legacyDocument(random));
      const input = JSON.stringify({ legacy: documents.map((text) => JSON.parse(text)) });
      const { status, stdout, stderr } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
      expect(status, stderr).toBe(0);
      const theirs: readonly unknown[] = JSON.parse(stdout).converted;
      for (const [index, text] of documents.entries()) {
        expect(await converted(text), `document ${index}: ${text}`).toEqual(theirs[index]);
      }
      const usable = theirs.filter((document) => document !== null);
      expect(usable.length).toBeGreaterThan(CASES * 0.6);
      expect(JSON.stringify(usable)).toContain('"allOf":[{"$ref":"#/components/schemas/');
    });
  },
);
