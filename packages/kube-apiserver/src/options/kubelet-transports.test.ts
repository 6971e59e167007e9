import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { KubeletTransports } from './kubelet-transports.js';

describe('KubeletTransports', () => {
  let folder: string;
  let time: number;
  const file = (name: string) => join(folder, name);
  const write = (contents: Readonly<Record<string, string>>) => {
    for (const [name, text] of Object.entries(contents)) writeFileSync(file(name), text);
  };
  const make = () =>
    new KubeletTransports({
      certificateFile: file('crt'),
      keyFile: file('key'),
      authorityFile: file('ca'),
      connectTimeout: 5,
      now: () => time,
    });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubelet-'));
    time = 0;
    write({ crt: 'crt-1', key: 'key-1', ca: 'ca-1' });
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('have what the files hold', () => {
    const { transport, insecureTransport } = make();
    const own = { certificate: 'crt-1', key: 'key-1', connectTimeout: 5 };
    expect([transport, insecureTransport]).toEqual([
      { ...own, ca: 'ca-1', verify: true },
      { ...own, ca: '', verify: false },
    ]);
  });

  it('follow the files, but look at them once a second only', () => {
    const transports = make();
    const before = transports.transport;
    write({ crt: 'crt-2', key: 'key-2' });
    time = 999;
    expect(transports.transport).toBe(before);
    time = 1_000;
    expect(transports.transport).toMatchObject({ certificate: 'crt-2', key: 'key-2', ca: 'ca-1' });
    write({ ca: 'ca-2' });
    time = 2_000;
    expect(transports.transport).toMatchObject({ certificate: 'crt-2', ca: 'ca-2' });
    // The clock is set back.
    write({ ca: 'ca-3' });
    time = 1_000;
    expect(transports.transport).toMatchObject({ certificate: 'crt-2', ca: 'ca-3' });
  });

  it('stay the same as long as the files do, and when these cannot be read any more', () => {
    const transports = make();
    const before = transports.transport;
    time = 5_000;
    expect(transports.transport).toBe(before);
    rmSync(file('key'));
    time = 10_000;
    expect(transports.transport).toBe(before);
  });

  it('say which file cannot be read to begin with', () => {
    rmSync(file('ca'));
    expect(make).toThrow(file('ca'));
  });
});
