import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { ApiException, CoreV1Api, KubeConfig } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCredentials } from '../harness/admin-client.ts';
import { type ApiServer, startApiServer, temporaryDirectory } from '../harness/api-server.ts';
import { Kubectl, kubectlMissing } from '../harness/kubectl.ts';
import { tokenKubeconfig } from '../harness/token-kubeconfig.ts';

const missing = kubectlMissing();
const CRAWLERS = join(import.meta.dirname, '../guides/priority-and-fairness/crawlers.yaml');
const TOKEN = 'token-of-crawler';

describe.skipIf(missing !== undefined)(`kubectl and flow control${missing ? ` (skipped: ${missing})` : ''}`, () => {
  let folder: ReturnType<typeof temporaryDirectory>;
  let server: ApiServer;
  let admin: Kubectl;
  let crawler: Kubectl;

  beforeAll(async () => {
    folder = temporaryDirectory('flow-control');
    const tokens = join(folder.path, 'tokens.csv');
    const policy = join(folder.path, 'policy.yaml');
    writeFileSync(tokens, `${TOKEN},crawler,crawler\n`);
    writeFileSync(
      policy,
      JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules: [{ level: 'Metadata' }] }),
    );
    server = await startApiServer({
      args: [
        `--token-auth-file=${tokens}`,
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${join(folder.path, 'audit.log')}`,
      ],
    });
    admin = new Kubectl(server.kubeconfig);
    crawler = new Kubectl(tokenKubeconfig(server, folder.path, TOKEN));
  });
  afterAll(async () => {
    crawler?.[Symbol.dispose]();
    admin?.[Symbol.dispose]();
    await server?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  it('get flowschemas, in the order in which they match', async () => {
    const rows = async () => {
      const lines = (await admin.ok(['get', 'flowschemas'])).trim().split('\n');
      return lines.map((line) => line.split(/\s+/).filter((_, column) => column !== 4));
    };
    await expect.poll(rows).toEqual([
      ['NAME', 'PRIORITYLEVEL', 'MATCHINGPRECEDENCE', 'DISTINGUISHERMETHOD', 'MISSINGPL'],
      ['exempt', 'exempt', '1', '<none>', 'False'],
      ['probes', 'exempt', '2', '<none>', 'False'],
      ['system-leader-election', 'leader-election', '100', 'ByUser', 'False'],
      ['system-node-high', 'node-high', '400', 'ByUser', 'False'],
      ['system-nodes', 'system', '500', 'ByUser', 'False'],
      ['kube-controller-manager', 'workload-high', '800', 'ByNamespace', 'False'],
      ['kube-scheduler', 'workload-high', '800', 'ByNamespace', 'False'],
      ['kube-system-service-accounts', 'workload-high', '900', 'ByNamespace', 'False'],
      ['service-accounts', 'workload-low', '9000', 'ByUser', 'False'],
      ['global-default', 'global-default', '9900', 'ByUser', 'False'],
      ['catch-all', 'catch-all', '10000', 'ByUser', 'False'],
    ]);
  });

  it('get and describe priority levels', async () => {
    const rows = (await admin.ok(['get', 'prioritylevelconfigurations', '--no-headers'])).trim().split('\n');
    expect(rows.map((row) => row.split(/\s+/).slice(0, -1))).toContainEqual(
      ...[['workload-low', 'Limited', '100', '128', '6', '50']],
    );
    expect(await admin.ok(['describe', 'prioritylevelconfiguration', 'catch-all'])).toMatch(
      /^Name: +catch-all[\s\S]*Annotations: +apf.kubernetes.io\/autoupdate-spec: true[\s\S]*Nominal Concurrency Shares: +5[\s\S]*Type: +Limited/,
    );
    expect(await admin.ok(['describe', 'flowschema', 'probes'])).toMatch(
      /Matching Precedence: +2[\s\S]*\/healthz[\s\S]*Dangling/,
    );
  });

  it('tells of a flow schema whose level is missing', async () => {
    const [level = '', schema = ''] = readFileSync(CRAWLERS, 'utf8').split('---\n');
    await admin.ok(['apply', '-f', '-'], schema);
    const dangling = [
      'get',
      'flowschema',
      'crawlers',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="Dangling")].status}',
    ];
    await expect.poll(() => admin.ok(dangling)).toBe('True');
    await admin.ok(['apply', '-f', '-'], level);
    await expect.poll(() => admin.ok(dangling)).toBe('False');
  });

  it('throttles one account, which waits as long as Retry-After says', async () => {
    await admin.ok(['apply', '-f', CRAWLERS]);
    await using occupied = await occupySeats();
    const api = new KubeConfig();
    api.loadFromFile(tokenKubeconfig(server, folder.path, TOKEN));
    const refusal = await api
      .makeApiClient(CoreV1Api)
      .listNamespace()
      .catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 429, headers: { 'retry-after': expect.stringMatching(/^[1-9]\d*$/) } });
    expect(refusal).toBeInstanceOf(ApiException);
    expect(await admin.ok(['get', 'namespaces', 'default', '-o', 'name'])).toBe('namespace/default\n');

    const waiting = crawler.run(['get', 'namespaces', 'default', '-o', 'name', '-v=8']);
    setTimeout(() => void occupied[Symbol.asyncDispose](), 1_500);
    const { code, stdout, stderr } = await waiting;
    expect([code, stdout]).toEqual([0, 'namespace/default\n']);
    expect(stderr).toMatch(/429 Too Many Requests/);
    expect(stderr).toMatch(/Got a Retry-After|retry after|RetryAfter/i);
  });

  it('counts refusals, and shows them in audit events', async () => {
    const metrics = await admin.ok(['get', '--raw', '/metrics']);
    expect(metrics).toMatch(
      /apiserver_flowcontrol_rejected_requests_total\{flow_schema="crawlers",priority_level="crawlers",reason="concurrency-limit"\} [1-9]/,
    );
    const events = readFileSync(join(folder.path, 'audit.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events).toContainEqual(
      expect.objectContaining({
        user: expect.objectContaining({ username: 'crawler' }),
        responseStatus: expect.objectContaining({ code: 429 }),
      }),
    );
    expect(await admin.ok(['get', '--raw', '/debug/api_priority_and_fairness/dump_priority_levels'])).toMatch(
      /^crawlers,/m,
    );
  });

  /** Begins creations whose bodies do not end, until the level of the crawler is full. */
  async function occupySeats() {
    const { server: address, ca } = readCredentials(server.kubeconfig);
    const agent = new Agent({ keepAlive: false });
    const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', 'content-length': '100' };
    const open = Array.from({ length: 3 }, () => {
      const sent = request(`${address}/api/v1/namespaces/default/configmaps`, { method: 'POST', ca, agent, headers });
      sent.on('error', () => {});
      sent.write('{');
      return sent;
    });
    const inUse = async () => {
      const metrics = await admin.ok(['get', '--raw', '/metrics']);
      return Number(
        /current_executing_seats\{flow_schema="[^"]*",priority_level="crawlers"\} (\d+)/.exec(metrics)?.[1],
      );
    };
    await expect.poll(inUse).toBe(3);
    return {
      [Symbol.asyncDispose]: async () => {
        for (const sent of open) sent.destroy();
      },
    };
  }
});
