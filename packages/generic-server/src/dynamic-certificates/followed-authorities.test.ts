import { execFileSync } from 'node:child_process';
import { mkdtempDisposableSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { ManualClock } from '@apiserver/registry-store/testing';
import { expect, it } from 'vitest';
import { followedAuthorities } from './followed-authorities.js';

it('reads the file at most every five minutes, keeps the last usable text, and counts', async () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'authorities-'));
  const path = join(folder.path, 'ca.crt');
  const clock = new ManualClock();
  const metrics = new MetricsRegistry({ withProcess: false });
  const { logger, lines } = createTestLogger(4);
  const isUsable = (pem: string) => pem.startsWith('CA');
  const text = followedAuthorities('CA 1', { path, isUsable, clock, logger, metrics });
  const later = () => {
    clock.advance(300_000);
    return text();
  };
  writeFileSync(path, 'CA 2');
  clock.advance(299_999);
  const seen = [text()];
  clock.advance(1);
  seen.push(text());
  writeFileSync(path, 'CA 3');
  seen.push(text(), later(), later());
  for (const content of ['', 'no authority']) {
    writeFileSync(path, content);
    seen.push(later());
  }
  writeFileSync(path, 'CA 4');
  clock.setBack(3_600_000);
  seen.push(text());
  rmSync(path);
  seen.push(later(), text());
  expect(seen).toEqual(['CA 1', 'CA 2', 'CA 2', 'CA 3', 'CA 3', 'CA 3', 'CA 3', 'CA 4', 'CA 4', 'CA 4']);
  const counted = (await metrics.expose()).text.split('\n').filter((line) => /^rest_client_transport/.test(line));
  expect(counted.sort()).toEqual([
    'rest_client_transport_ca_reload_total{reason="ca_parse_error",result="failure"} 1',
    'rest_client_transport_ca_reload_total{reason="empty",result="failure"} 1',
    'rest_client_transport_ca_reload_total{reason="read_error",result="failure"} 1',
    'rest_client_transport_ca_reload_total{reason="unchanged",result="success"} 1',
    'rest_client_transport_ca_reload_total{reason="updated",result="success"} 3',
  ]);
  const plain = lines.filter(({ message }) => message !== 'Checking CA file content');
  expect(plain.map(({ level, message, fields }) => [level, message, fields])).toEqual(
    [
      ...Array(2)
        .fill(['info', ['CA content changed, updating transport', 'Transport updated for CA rotation']])
        .flatMap(([level, messages]) => messages.map((message: string) => [level, message])),
      ['info', 'CA file unchanged, skipping transport rotation'],
      ['info', 'CA file empty, skipping transport rotation'],
      ['info', 'CA content changed, updating transport'],
      ['error', 'Failed to parse CA data from file'],
      ['info', 'CA content changed, updating transport'],
      ['info', 'Transport updated for CA rotation'],
      ['error', 'Failed to read CA data from file'],
    ].map((line) => [...line, { caFile: path }]),
  );
});

it('does not wait for a pipe', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'authorities-'));
  const path = join(folder.path, 'ca.crt');
  const clock = new ManualClock();
  const options = { path, isUsable: () => true, clock, logger: createTestLogger().logger };
  const text = followedAuthorities('CA', { ...options, metrics: new MetricsRegistry({ withProcess: false }) });
  execFileSync('mkfifo', [path]);
  clock.advance(300_000);
  expect(text()).toBe('CA');
});
