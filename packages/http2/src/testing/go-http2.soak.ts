import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'vitest';
import { connected, type Http2Fixture } from './http2-fixture.js';
import { http2ServerSuite } from './http2-server-suite.js';

/** Go's own server, on which upstream is based: the suite's expectations hold for it. */
async function startGoHttp2(): Promise<Http2Fixture> {
  const folder = mkdtempSync(join(tmpdir(), 'go-http2-'));
  const program = join(folder, 'server');
  const built = spawnSync('go', ['build', '-o', program, '.'], {
    cwd: new URL('testdata/go-http2', import.meta.url),
    encoding: 'utf8',
  });
  if (built.status !== 0) throw new Error(`go build failed: ${built.stderr}`);
  const child = spawn(program, { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line).trim());
  return {
    connect: () => connected(connect(port, '127.0.0.1')),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const leftToTheHandler = 'the handler hears of it when it reads, and does with it what it wants';

if (spawnSync('go', ['version']).status === 0) {
  http2ServerSuite('net/http', startGoHttp2, {
    differences: {
      '6.2 HEADERS: more padding than headers': {
        instead: 'stream PROTOCOL_ERROR',
        because: 'RFC 9113 wants the connection to end, as what HPACK’s table should have is not known',
      },
      '8.1 bodies: shorter than they say': { instead: 'stream INTERNAL_ERROR', because: leftToTheHandler },
      '8.1 bodies: shorter than they say, with trailers': {
        instead: 'stream INTERNAL_ERROR',
        because: leftToTheHandler,
      },
      '8.1 bodies: that were announced and are missing': {
        instead: 'responded 200',
        because: 'a length is not looked at where no body comes',
      },
    },
  });
} else {
  describe('HTTP/2 server: net/http', () => it.skip('there is no go on the PATH'));
}
