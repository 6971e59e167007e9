import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http1BodyCases } from './http1-body-cases.js';
import { outcomes } from './http1-case.js';
import { http1ConnectionCases } from './http1-connection-cases.js';
import { http1HeadCases } from './http1-head-cases.js';

const hasGo = spawnSync('go', ['version']).status === 0;

/** Runs the cases against the server of Go, which upstream is built on. */
describe.skipIf(!hasGo)('HTTP/1.1: net/http (skipped without a go on the PATH)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'go-http1-'));
  const program = join(folder, 'server');
  let port = 0;
  let stop = async (): Promise<void> => {};

  beforeAll(async () => {
    const cwd = new URL('testdata/go-http1', import.meta.url);
    const built = spawnSync('go', ['build', '-o', program, '.'], { cwd, encoding: 'utf8' });
    if (built.status !== 0) throw new Error(`go build failed: ${built.stderr}`);
    const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
    stop = async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    };
    const [line] = await once(child.stdout, 'data');
    port = Number(String(line).trim());
  }, 120_000);

  afterAll(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['heads', http1HeadCases()],
    ['bodies', http1BodyCases()],
    ['connections', http1ConnectionCases()],
  ])('is what the cases expect: %s', { timeout: 60_000 }, async (_, cases) => {
    const found = await outcomes(cases, async () => {
      const socket = connect({ host: '127.0.0.1', port });
      await once(socket, 'connect');
      return socket;
    });
    expect(found).toEqual(Object.fromEntries(cases.map(({ name, expected }) => [name, expected])));
  });
});
