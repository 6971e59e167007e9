import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createTestLogger } from '@apiserver/apiserver-contracts/testing';
import { MetricsRegistry } from '@apiserver/component-base/metrics';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testRecord } from '../testing/test-record.js';
import { AuditMetrics } from './audit-metrics.js';
import type { LineOutput } from './line-writer.js';
import { LogBackend } from './log-backend.js';
import { appendedFile, ensureLogFile } from './log-outputs.js';
import { ignoringErrors } from './modes.js';
import { RotatedFile, type RotationOptions } from './rotated-file.js';

const MEGABYTE = 1024 * 1024;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'audit-log-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

function metricsOf() {
  const registry = new MetricsRegistry();
  const { logger, lines } = createTestLogger();
  const metrics = new AuditMetrics(registry, logger);
  const lost = async () => /error_total\{plugin="log"\} (\d+)/.exec((await registry.expose()).text)?.[1] ?? '0';
  return { metrics, lines, lost };
}

/** Keeps what is written, or fails. */
function fakeOutput(fails: () => boolean): LineOutput & { text: string; writes: number } {
  const output = {
    text: '',
    writes: 0,
    maxBytes: undefined,
    needsNewFile: () => false,
    newFile: () => {},
    write: (buffers: readonly Uint8Array[]) => {
      if (fails()) {
        output.text += '{"torn';
        throw new Error('ENOSPC: no space left on device, write');
      }
      output.writes++;
      output.text += Buffer.concat(buffers).toString();
    },
    close: async () => {},
  };
  return output;
}

describe('LogBackend', () => {
  it('writes long lines, other letters and bodies among others in order', async () => {
    const output = fakeOutput(() => false);
    await using backend = new LogBackend(output, 'json', metricsOf().metrics);
    const names = [
      'a',
      'ü€😀'.repeat(9_000),
      'b',
      'x'.repeat(70_000),
      ...Array.from({ length: 40 }, (_, i) => 'y'.repeat(5_000 + i)),
    ];
    const bodies = names.map((name) => Buffer.from(JSON.stringify({ name: name.slice(0, 3) })));
    const lines = () =>
      output.text
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line));
    for (let round = 1; round <= 2; round++) {
      const records = names.map((requestURI, i) =>
        testRecord({ requestURI }, i % 2 === 0 ? {} : { requestObject: [bodies[i] ?? Buffer.alloc(0)] }),
      );
      expect(await Promise.all(records.map((record) => backend.process([record])))).not.toContain(false);
      const written = lines().slice((round - 1) * names.length);
      expect(written.map(({ requestURI }) => requestURI)).toEqual(names);
      expect(written[1].requestObject).toEqual({ name: names[1]?.slice(0, 3) });
    }
  });

  it('gives callers that ignore errors one promise for the events of a turn, also when a line is lost', async () => {
    const { metrics, lost } = metricsOf();
    let fails = false;
    const backend = ignoringErrors(
      new LogBackend(
        fakeOutput(() => fails),
        'json',
        metrics,
      ),
    );
    const [first, second] = [backend.process([testRecord()]), backend.process([testRecord(), testRecord()])];
    expect(second).toBe(first);
    expect(await first).toBe(true);
    fails = true;
    const third = backend.process([testRecord()]);
    expect(third).not.toBe(first);
    expect(await third).toBe(true);
    expect(await lost()).toBe('1');
    await backend[Symbol.asyncDispose]();
  });

  it('writes the events of a turn at once, in order', async () => {
    const output = fakeOutput(() => false);
    const log = new LogBackend(output, 'json', metricsOf().metrics);
    const raw = [Buffer.from('{"a":'), Buffer.from('1}')];
    const results = [
      log.process([testRecord({ auditID: '1' })]),
      log.process([testRecord({ auditID: '2' }, { requestObject: raw }), testRecord({ auditID: '3' })]),
    ];
    expect(await Promise.all(results)).toEqual([true, true]);
    expect(output.writes).toBe(1);
    expect(output.text.split('\n').map((line) => line && JSON.parse(line))).toMatchObject([
      { kind: 'Event', apiVersion: 'audit.k8s.io/v1', auditID: '1' },
      { auditID: '2', requestObject: { a: 1 } },
      { auditID: '3' },
      '',
    ]);
  });

  it('has a line of text in the legacy format', async () => {
    const output = fakeOutput(() => false);
    const log = new LogBackend(output, 'legacy', metricsOf().metrics);
    await log.process([
      testRecord(
        { receivedAt: 1_234.5, sourceIPs: ['1.1.1.1', '2.2.2.2'], userAgent: 'a "b"' },
        { responseStatus: { code: 200 }, impersonatedUser: { name: 'bob', groups: ['q', 'r'], extra: {} } },
      ),
    ]);
    expect(output.text).toBe(
      '1970-01-01T00:00:01.2345Z AUDIT: id="id" stage="ResponseComplete" ip="1.1.1.1" method="get" user="alice" groups="\\"dev\\"" as="bob" asgroups="\\"q\\",\\"r\\"" user-agent="a \\"b\\"" namespace="<none>" uri="/x" response="200"\n',
    );
  });

  it('counts events that a full disk loses, and begins a new line afterwards', async () => {
    let isFull = true;
    const output = fakeOutput(() => isFull);
    const { metrics, lines, lost } = metricsOf();
    const log = new LogBackend(output, 'json', metrics);
    expect(await Promise.all([log.process([testRecord()]), log.process([testRecord()])])).toEqual([false, false]);
    expect(await ignoringErrors(log).process([testRecord()])).toBe(true);
    expect(await lost()).toBe('3');
    expect(JSON.stringify(lines)).toContain("Error in audit plugin 'log' affecting 1 audit events: ENOSPC");
    isFull = false;
    expect(await log.process([testRecord({ auditID: 'later' })])).toBe(true);
    expect(JSON.parse(output.text.split('\n').at(-2) ?? '')).toMatchObject({ auditID: 'later' });
  });
});

describe('RotatedFile', () => {
  const NOW = Date.UTC(2026, 0, 31, 23, 59, 59, 999);
  const rotated = (path: string, more: Partial<RotationOptions> = {}) => {
    let now = NOW;
    const clock = { now: () => now++, schedule: () => () => {} };
    const { metrics, lost } = metricsOf();
    const options = { path, clock, maxMegabytes: 1, maxAgeDays: 0, maxBackups: 0, compress: false, ...more };
    return { log: new LogBackend(new RotatedFile(options), 'json', metrics), lost };
  };
  const large = (auditID: string, bytes = 600 * 1024) =>
    testRecord({ auditID }, { requestObject: [Buffer.from(JSON.stringify('x'.repeat(bytes)))] });

  it('renames a full file with the time, and keeps its mode', async () => {
    const path = join(folder(), 'deep', 'audit.log');
    ensureLogFile(path);
    const { log } = rotated(path);
    await log.process([large('1'), large('2'), large('3')]);
    await log[Symbol.asyncDispose]();
    const names = readdirSync(join(path, '..')).sort();
    expect(names).toEqual([
      'audit-2026-01-31T23-59-59.999.log',
      expect.stringMatching(/^audit-2026-02-01T00-00-00.\d{3}.log$/),
      'audit.log',
    ]);
    const idOf = (name: string) => JSON.parse(readFileSync(join(path, '..', name), 'utf8')).auditID;
    expect(names.map(idOf)).toEqual(['1', '2', '3']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('keeps a full file that cannot be renamed', async () => {
    const path = join(folder(), 'audit.log');
    const backup = join(path, '..', 'audit-1970-01-01T00-00-00.000.log');
    mkdirSync(backup);
    writeFileSync(path, 'x'.repeat(MEGABYTE));
    const { metrics, lines } = metricsOf();
    const clock = { now: () => 0, schedule: () => () => {} };
    const options = { path, clock, maxMegabytes: 1, maxAgeDays: 0, maxBackups: 0, compress: false };
    const log = new LogBackend(new RotatedFile(options), 'json', metrics);
    expect(await log.process([testRecord()])).toBe(false);
    await log[Symbol.asyncDispose]();
    expect(JSON.stringify(lines)).toContain(`can't rename log file: rename ${path} ${backup}: file exists`);
  });

  it('goes on with a file that has room, and loses an event that fits into no file', async () => {
    const path = join(folder(), 'audit');
    writeFileSync(path, 'before\n');
    const { log, lost } = rotated(path);
    expect(await log.process([large('1', MEGABYTE), testRecord()])).toBe(false);
    await log[Symbol.asyncDispose]();
    expect(await lost()).toBe('1');
    expect(readdirSync(join(path, '..'))).toEqual(['audit']);
    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
  });

  it('keeps older files while a full disk loses events', async (context) => {
    if (!existsSync('/dev/full')) return context.skip('there is no full device here');
    const path = join(folder(), 'audit.log');
    symlinkSync('/dev/full', path);
    const { log, lost } = rotated(path, { maxBackups: 1 });
    for (let i = 0; i < 5; i++) expect(await log.process([large(`${i}`)])).toBe(false);
    await log[Symbol.asyncDispose]();
    expect(await lost()).toBe('5');
    expect(readdirSync(join(path, '..'))).toEqual(['audit.log']);
  });

  it('removes files by number and age, compresses others, and leaves strangers alone', async () => {
    const path = join(folder(), 'audit.log');
    const names = [
      'audit-2026-01-31T00-00-00.000.log',
      'audit-2026-01-30T00-00-00.000.log.gz',
      'audit-2026-01-29T00-00-00.000.log',
    ];
    for (const name of [...names, 'audit-mine.log', 'other.log']) writeFileSync(join(path, '..', name), name);
    utimesSync(join(path, '..', names[0] ?? ''), 1, 1);
    mkdirSync(join(path, '..', 'audit-dir'));
    const { log } = rotated(path, { maxBackups: 2, maxAgeDays: 100, compress: true });
    await log.process([testRecord()]);
    await log[Symbol.asyncDispose]();
    expect(readdirSync(join(path, '..')).sort()).toEqual([
      ...['audit-2026-01-30T00-00-00.000.log.gz', 'audit-2026-01-31T00-00-00.000.log.gz'],
      ...['audit-dir', 'audit-mine.log', 'audit.log', 'other.log'],
    ]);
    expect(gunzipSync(readFileSync(join(path, '..', `${names[0]}.gz`))).toString()).toBe(names[0]);
    const { log: later } = rotated(path, { maxAgeDays: 1 });
    await later.process([testRecord()]);
    await later[Symbol.asyncDispose]();
    expect(readdirSync(join(path, '..')).sort()).toEqual([
      'audit-2026-01-31T00-00-00.000.log.gz',
      'audit-dir',
      'audit-mine.log',
      'audit.log',
      'other.log',
    ]);
  });
});

it('appends to a file without bound', async () => {
  const path = join(folder(), 'audit.log');
  ensureLogFile(path);
  const log = new LogBackend(appendedFile(path), 'json', metricsOf().metrics);
  await log.process([testRecord(), testRecord()]);
  await log[Symbol.asyncDispose]();
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(3);
});

it.each(['rotated', 'without bound'])('begins a new line after one that a killed process left: %s', async (kind) => {
  const path = join(folder(), 'audit.log');
  writeFileSync(path, '{"torn');
  const clock = { now: () => 0, schedule: () => () => {} };
  const options = { path, clock, maxMegabytes: 1, maxAgeDays: 0, maxBackups: 0, compress: false };
  for (const auditID of ['a', 'b']) {
    const output = kind === 'rotated' ? new RotatedFile(options) : appendedFile(path);
    const log = new LogBackend(output, 'json', metricsOf().metrics);
    await log.process([testRecord({ auditID })]);
    await log[Symbol.asyncDispose]();
  }
  const [torn, ...lines] = readFileSync(path, 'utf8').split('\n');
  expect([torn, lines.pop()]).toEqual(['{"torn', '']);
  expect(lines.map((line) => JSON.parse(line).auditID)).toEqual(['a', 'b']);
});

it.each(['x', 'x/audit.log', 'x/y/audit.log'])('refuses a path below a file as Go does: %s', (below) => {
  const file = join(folder(), 'file');
  writeFileSync(file, '');
  const message = `ensureLogFile: mkdir ${file}: not a directory`;
  expect(() => ensureLogFile(join(file, below))).toThrow(message);
});
