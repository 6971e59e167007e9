import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { throwingLogger } from '@apiserver/apiserver-contracts/testing';
import { createOpenApi, loadRemoteSpecReader, type NamedRemoteSpec } from '@apiserver/endpoints-installer';
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
const CASES = 150;
const SEED = Number(process.env['OPENAPI_SEED'] ?? 1);

interface Remote {
  readonly prefix: string;
  readonly document: string;
}

/** Our document with those of the remote servers; a malformed one is left out. */
async function merged(remotes: readonly Remote[]): Promise<unknown> {
  const read = await loadRemoteSpecReader();
  const specs: NamedRemoteSpec[] = [];
  for (const [i, { prefix, document }] of remotes.entries()) {
    const spec = await read(document, prefix).catch(() => undefined);
    if (spec !== undefined) specs.push({ name: `server-${i}`, spec });
  }
  const openApi = createOpenApi({
    container: { installed: () => [], onChange: () => () => {} },
    logger: throwingLogger,
    remote: { specs: () => specs, urls: () => new Map(), handlerFor: () => undefined, onChange: () => {} },
  });
  const exchange = createTestExchange({ url: '/openapi/v2' });
  const response = await openApi.handlerFor(exchange)?.(exchange);
  if (response === undefined) throw new Error('no document');
  return JSON.parse(Buffer.from(await responseBody(response)).toString());
}

describe.skipIf(missing !== undefined)(
  `documents of extension servers beside kube-openapi’s merge${missing ? ` (skipped: ${missing})` : ''}`,
  () => {
    const resources = new DisposableStack();
    let program: string;

    beforeAll(() => {
      program = join(resources.use(temporaryDirectory('remote-documents')).path, 'upstream');
      const built = spawnSync('go', ['build', '-o', program, './upstream'], { cwd: folder, encoding: 'utf8' });
      expect([built.status, built.stderr]).toEqual([0, '']);
    }, compileDeadlineMs);
    afterAll(() => resources.dispose());

    /** Undefined where it fails. */
    function upstream(own: unknown, remotes: readonly Remote[]): object | undefined {
      const documents = remotes.map(({ prefix, document }) => ({
        prefix,
        document: isJson(document) ? JSON.parse(document) : 1,
      }));
      const input = JSON.stringify({ static: own, remotes: documents });
      const { status, stdout, stderr } = spawnSync(program, { input, encoding: 'utf8', maxBuffer: 2 ** 28 });
      // We merge what upstream fails at: paths where one begins with another, and kinds that only a server's definition
      // has.
      if (status !== 0 && /duplicated path|assignment to entry in nil map/.test(stderr)) return undefined;
      if (status !== 0) throw new Error(stderr);
      return JSON.parse(stdout).merged;
    }

    it(`is the same for ${CASES} sets of random documents (seed ${SEED})`, { timeout: 240_000 }, async () => {
      const own = await merged([]);
      const random = new Random(SEED);
      let compared = 0;
      let renamed = 0;
      for (let index = 0; index < CASES; index++) {
        const remotes = Array.from(
          { length: 1 + random.below(4) },
          (): Remote => ({
            prefix: `/apis/example.com/${random.of(['v1', 'v2'])}/`,
            document: randomDocument(random),
          }),
        );
        const ours = await merged(remotes);
        const theirs = upstream(own, remotes);
        if (theirs === undefined) continue;
        expect(ours, `set ${index}: ${JSON.stringify(remotes)}`).toEqual({ parameters: {}, ...theirs });
        compared++;
        if (JSON.stringify(ours).includes('A_v3"')) renamed++;
      }
      expect(compared).toBeGreaterThan(CASES * 0.8);
      expect(renamed).toBeGreaterThan(0);
    });
  },
);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
