import { createHash } from 'node:crypto';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it } from 'vitest';
import { createEncryptionMetrics } from './create-encryption-metrics.js';

async function exposed(
  count: (metrics: ReturnType<typeof createEncryptionMetrics>) => void,
): Promise<readonly string[]> {
  const registry = new MetricsRegistry();
  count(createEncryptionMetrics(registry, { serverId: 'apiserver-x', now: () => 5000 }));
  const { text } = await registry.expose();
  return text
    .split('\n')
    .filter((line) => line.startsWith('apiserver_') && !line.includes('_bucket'))
    .map((line) =>
      line.replace(/,apiserver_id_hash="sha256:[0-9a-f]{64}"|apiserver_id_hash="sha256:[0-9a-f]{64}",?/, ''),
    );
}

describe('metrics of encryption', () => {
  it('have upstream’s names and labels', async () => {
    const lines = await exposed((metrics) => {
      metrics.transformed({ resource: 'secrets', type: 'to_storage', prefix: 'k8s:enc:aesgcm:v1:', status: 'OK' }, 0.5);
      metrics.transformed({ resource: 'secrets', type: 'from_storage', prefix: 'unknown', status: 'Unavailable' }, 0.5);
      metrics.keyMissed();
      metrics.keyGenerated(0.5);
      metrics.keyUsed('to_storage', 'p', 'h');
      metrics.keyIdSeen('p', 'h');
      metrics.invalidKeyIdSeen('p', 'empty');
      metrics.keysKept('p', 3);
      metrics.kmsCalled('p', '/v2.KeyManagementService/Status', 'OK', 0.5);
      metrics.configured('sha256:1');
      metrics.reloaded('failure');
    });
    expect(lines).toEqual([
      'apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds{status="failure"} 5',
      'apiserver_encryption_config_controller_automatic_reloads_total{status="failure"} 1',
      'apiserver_encryption_config_controller_last_config_info{hash="sha256:1"} 1',
      'apiserver_envelope_encryption_dek_source_cache_size{provider_name="p"} 3',
      'apiserver_envelope_encryption_invalid_key_id_from_status_total{error="empty",provider_name="p"} 1',
      'apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds{key_id_hash="h",provider_name="p",transformation_type="to_storage"} 5',
      'apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds{key_id_hash="h",provider_name="p"} 5',
      'apiserver_envelope_encryption_key_id_hash_total{key_id_hash="h",provider_name="p",transformation_type="to_storage"} 1',
      'apiserver_envelope_encryption_kms_operations_latency_seconds_sum{grpc_status_code="OK",method_name="/v2.KeyManagementService/Status",provider_name="p"} 0.5',
      'apiserver_envelope_encryption_kms_operations_latency_seconds_count{grpc_status_code="OK",method_name="/v2.KeyManagementService/Status",provider_name="p"} 1',
      'apiserver_storage_data_key_generation_duration_seconds_sum 0.5',
      'apiserver_storage_data_key_generation_duration_seconds_count 1',
      'apiserver_storage_data_key_generation_failures_total 0',
      'apiserver_storage_envelope_transformation_cache_misses_total 1',
      'apiserver_storage_transformation_duration_seconds_sum{transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 0.5',
      'apiserver_storage_transformation_duration_seconds_count{transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 1',
      'apiserver_storage_transformation_operations_total{resource="secrets",status="OK",transformation_type="to_storage",transformer_prefix="k8s:enc:aesgcm:v1:"} 1',
      'apiserver_storage_transformation_operations_total{resource="secrets",status="Unavailable",transformation_type="from_storage",transformer_prefix="unknown"} 1',
    ]);
  });

  it('name the server by a hash', async () => {
    const registry = new MetricsRegistry();
    createEncryptionMetrics(registry, { serverId: 'apiserver-x', now: () => 5000 }).configured('sha256:1');
    const { text } = await registry.expose();
    const hash = createHash('sha256').update('apiserver-x').digest('hex');
    expect(text).toContain('# TYPE apiserver_encryption_config_controller_last_config_info gauge\n');
    expect(text).toContain(`last_config_info{apiserver_id_hash="sha256:${hash}",hash="sha256:1"} 1\n`);
  });

  it('have help texts, and the hash of the server in each series that upstream has it in', async () => {
    const registry = new MetricsRegistry();
    const metrics = createEncryptionMetrics(registry, { serverId: 'apiserver-x', now: () => 5000 });
    metrics.keyUsed('to_storage', 'p', 'h');
    metrics.keyIdSeen('p', 'h');
    metrics.configured('sha256:1');
    metrics.reloaded('success');
    const lines = (await registry.expose()).text.split('\n');
    const helps = lines.filter((line) => line.startsWith('# HELP apiserver_'));
    expect(helps.filter((line) => !/^# HELP \w+ \[[A-Z]+\] \S.*\w/.test(line))).toEqual([]);
    const named = lines.filter((line) => /^apiserver_.*\{/.test(line) && !line.includes('_bucket'));
    expect(named.filter((line) => !line.includes('apiserver_id_hash="sha256:'))).toEqual([]);
    expect(named.length).toBeGreaterThanOrEqual(5);
  });

  it('begin at zero if they have no labels', async () => {
    expect(await exposed(() => {})).toEqual([
      'apiserver_storage_data_key_generation_duration_seconds_sum 0',
      'apiserver_storage_data_key_generation_duration_seconds_count 0',
      'apiserver_storage_data_key_generation_failures_total 0',
      'apiserver_storage_envelope_transformation_cache_misses_total 0',
    ]);
  });

  it('tell apart what differs in one label', async () => {
    const lines = await exposed((metrics) => {
      const base = { resource: 'r', type: 'to_storage', prefix: 'p', status: 'OK' } as const;
      metrics.transformed(base, 1);
      metrics.transformed({ ...base, resource: 'r2' }, 1);
      metrics.transformed({ ...base, type: 'from_storage' }, 1);
      metrics.transformed({ ...base, prefix: 'p2' }, 1);
      metrics.transformed({ ...base, status: 'Unavailable' }, 1);
      for (const status of ['success', 'failure'] as const) metrics.reloaded(status);
      const calls = ['p m OK', 'p2 m OK', 'p m2 OK', 'p m Unavailable'].map((text) => text.split(' '));
      for (const [provider = '', method = '', status = ''] of calls) metrics.kmsCalled(provider, method, status, 1);
      for (const provider of ['p', 'p2']) metrics.keysKept(provider, 1);
      for (const [provider, error] of [
        ['p', 'e'],
        ['p2', 'e'],
        ['p', 'e2'],
      ] as const)
        metrics.invalidKeyIdSeen(provider, error);
      for (const [provider, hash] of [
        ['p', 'h'],
        ['p2', 'h'],
        ['p', 'h2'],
      ] as const) {
        metrics.keyIdSeen(provider, hash);
        metrics.keyUsed('to_storage', provider, hash);
      }
      metrics.keyUsed('from_storage', 'p', 'h');
    });
    const names = lines
      .filter((line) => line.includes('{') && !line.includes('_sum{'))
      .map((line) => line.replace(/\{.*/, ''));
    const counts = Object.entries(Object.groupBy(names, (name) => name)).map(([name, series]) => [
      name,
      series?.length,
    ]);
    expect(Object.fromEntries(counts)).toEqual({
      apiserver_encryption_config_controller_automatic_reload_last_timestamp_seconds: 2,
      apiserver_encryption_config_controller_automatic_reloads_total: 2,
      apiserver_envelope_encryption_dek_source_cache_size: 2,
      apiserver_envelope_encryption_invalid_key_id_from_status_total: 3,
      apiserver_envelope_encryption_key_id_hash_last_timestamp_seconds: 4,
      apiserver_envelope_encryption_key_id_hash_status_last_timestamp_seconds: 3,
      apiserver_envelope_encryption_key_id_hash_total: 4,
      apiserver_envelope_encryption_kms_operations_latency_seconds_count: 4,
      apiserver_storage_transformation_duration_seconds_count: 3,
      apiserver_storage_transformation_operations_total: 5,
    });
  });

  it('drop all keys that are not among the last hundred', async () => {
    const lines = await exposed((metrics) => {
      for (let i = 0; i < 103; i++) {
        metrics.keyUsed('to_storage', 'p', `h${i}`);
        metrics.keyIdSeen('p', `h${i}`);
      }
    });
    const hashes = (name: string) =>
      lines.filter((line) => line.includes(`_${name}{`)).map((line) => /key_id_hash="h(\d+)"/.exec(line)?.[1]);
    const last = Array.from({ length: 100 }, (_, i) => String(i + 3));
    expect(hashes('hash_total').toSorted()).toEqual(last.toSorted());
    expect(hashes('hash_status_last_timestamp_seconds').toSorted()).toEqual(last.toSorted());
  });

  it('have help texts', async () => {
    const registry = new MetricsRegistry();
    const metrics = createEncryptionMetrics(registry, { serverId: 'apiserver-x', now: () => 5000 });
    metrics.transformed({ resource: 'r', type: 'to_storage', prefix: 'p', status: 'OK' }, 0.5);
    metrics.keyMissed();
    metrics.keyGenerated(0.5);
    metrics.keyUsed('to_storage', 'p', 'h');
    metrics.keyIdSeen('p', 'h');
    metrics.invalidKeyIdSeen('p', 'empty');
    metrics.keysKept('p', 3);
    metrics.kmsCalled('p', 'm', 'OK', 0.5);
    metrics.configured('sha256:1');
    metrics.reloaded('failure');
    const lines = (await registry.expose()).text.split('\n').filter((line) => line.startsWith('# HELP apiserver_'));
    expect(lines.filter((line) => !/^# HELP \w+ \[[A-Z]+\] [A-Z].*\w/.test(line))).toEqual([]);
    expect(lines.length).toBe(14);
  });

  it('drop the least recently used keys', async () => {
    const lines = await exposed((metrics) => {
      for (let i = 0; i < 100; i++) metrics.keyUsed('to_storage', 'p', `h${i}`);
      metrics.keyUsed('to_storage', 'p', 'h0');
      metrics.keyUsed('to_storage', 'p', 'new');
    });
    const counts = lines.filter((line) => line.startsWith('apiserver_envelope_encryption_key_id_hash_total{'));
    expect(counts.length).toBe(100);
    const of = (hash: string) =>
      counts
        .find((line) => line.includes(`key_id_hash="${hash}"`))
        ?.split(' ')
        .at(-1);
    expect([of('h0'), of('h1'), of('new')]).toEqual(['2', undefined, '1']);
    expect(lines.filter((line) => line.includes('key_id_hash_last_timestamp_seconds{')).length).toBe(100);
  });
});
