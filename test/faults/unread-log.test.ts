import { Agent, request } from 'node:https';
import { expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';

/** Each is a line of the log. Together they take more than the pipe and its reader hold. */
const REFUSED = 4_000;
const AT_ONCE = 20;

it('a server whose log nobody reads serves its clients, and ends', async () => {
  await using server = await startApiServer({ args: ['--authorization-mode=RBAC'] });
  const { ca } = readCredentials(server.kubeconfig);
  const agent = new Agent({ ca, keepAlive: true, maxSockets: AT_ONCE });
  const statusOf = (path: string, headers = {}) =>
    new Promise<number | undefined>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: server.port, path, headers, agent, timeout: 20_000 };
      const sent = request(options, (response) => response.resume().on('end', () => resolve(response.statusCode)));
      sent.on('timeout', () => sent.destroy(new Error('no response')));
      sent.on('error', reject).end();
    });
  server.child.stderr?.pause();
  let sent = 0;
  const refused = async () => {
    const statuses = new Set<number | undefined>();
    while (sent++ < REFUSED) statuses.add(await statusOf('/x', { authorization: `Bearer bad-${sent}` }));
    return [...statuses];
  };
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, refused));
  expect(new Set(statuses.flat())).toEqual(new Set([401]));
  expect(await statusOf('/livez')).toBe(200);
  agent.destroy();
  server.child.kill('SIGTERM');
  await expect.poll(() => server.child.exitCode, { timeout: 30_000 }).toBe(0);
  server.child.stderr?.resume();
  await expect.poll(() => server.stderr).toContain('Unable to authenticate');
});
