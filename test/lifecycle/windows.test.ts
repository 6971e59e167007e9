import { expect, it } from 'vitest';
import { AdminClient } from '../harness/admin-client.ts';
import { startApiServer } from '../harness/api-server.ts';

it('shows its flags, its state, its logs and its health checks', async () => {
  await using server = await startApiServer({ args: ['--enable-logs-handler', '--event-ttl=2h'] });
  using client = new AdminClient(server.kubeconfig);
  const get = async (path: string, accept?: string) =>
    await client.request('GET', path, undefined, accept === undefined ? {} : { accept });
  const flagz = await get('/flagz', 'application/json;v=v1beta1;g=config.k8s.io;as=Flagz');
  expect(JSON.parse(flagz.body).flags).toMatchObject({ 'event-ttl': '2h0m0s', 'enable-logs-handler': 'true' });
  const { paths } = JSON.parse((await get('/statusz', 'application/json;v=v1beta1;g=config.k8s.io;as=Statusz')).body);
  expect(paths).toEqual([...['/flagz', '/healthz', '/livez', '/logs', '/metrics', '/readyz', '/statusz', '/version']]);
  expect((await get('/statusz')).body).toContain('\napiserver statusz\nWarning: ');
  expect((await get('/logs/')).body).toContain('<pre>\n');
  await get('/readyz');
  const slis = (await get('/metrics/slis')).body;
  expect(slis).toMatch(/^kubernetes_healthcheck\{name="etcd",type="readyz"\} 1$/m);
  expect(slis).toMatch(/^kubernetes_healthchecks_total\{name="ping",status="success",type="readyz"\} [1-9]/m);
  const total = (await get('/metrics')).body;
  expect(total).toMatch(/^# HELP apiserver_request_total \[STABLE\] /m);
  expect(total.match(/^apiserver_request_total\{.*resource="(statusz|flagz)".*/gm)).toHaveLength(3);
});

it('has neither page without its feature gate', async () => {
  await using server = await startApiServer({ args: ['--feature-gates=ComponentStatusz=false,ComponentFlagz=false'] });
  using client = new AdminClient(server.kubeconfig);
  for (const path of ['/statusz', '/flagz', '/logs/']) {
    expect((await client.request('GET', path)).status).toBe(404);
  }
});
