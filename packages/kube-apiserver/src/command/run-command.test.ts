import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCommand } from './run-command.js';

/** Runs a command that ends before it starts a server. */
async function run(...args: string[]) {
  const events = new EventEmitter();
  let stdout = '';
  let stderr = '';
  const code = await runCommand(args, {
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
    exit: () => {},
    on: (event, listener) => events.on(event, listener),
    off: (event, listener) => events.off(event, listener),
  });
  return { code, stdout, stderr };
}

describe('runCommand', () => {
  it('tells the binary that the server is ready, and then everybody', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'run-command-'));
    const events = new EventEmitter();
    const told: string[] = [];
    try {
      const place = [`--data-dir=${folder}`, '--storage-backend=memory', '--secure-port=0', '--bind-address=127.0.0.1'];
      const code = await runCommand(place, {
        stdout: {
          write: () => {
            told.push('everybody');
            events.emit('SIGTERM');
          },
        },
        stderr: { write: () => {} },
        ready: () => told.push('the binary'),
        exit: () => {},
        on: (event, listener) => events.on(event, listener),
        off: (event, listener) => events.off(event, listener),
      });
      expect([code, told]).toEqual([0, ['the binary', 'everybody']]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([['--help'], ['-h']])('%s', async (flag) => {
    const { code, stdout, stderr } = await run(flag);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\n\nUsage:\n {2}kube-apiserver \[flags\]\n\nGeneric flags:\n\n/);
    expect(stdout.match(/^\S.* flags:$/gm)).toEqual([
      'Generic flags:',
      'Etcd flags:',
      'Secure serving flags:',
      'Auditing flags:',
      'Features flags:',
      'Authentication flags:',
      'Authorization flags:',
      'API enablement flags:',
      'Egress selector flags:',
      'Admission flags:',
      'Metrics flags:',
      'Logs flags:',
      'Traces flags:',
      'Misc flags:',
      'Additional flags:',
      'Global flags:',
    ]);
  });

  it('--help names the features of --feature-gates after all flags', async () => {
    const { stdout } = await run('--help');
    const [flags = '', features = ''] = stdout.split('\nFeatures of --feature-gates:\n\n');
    const isFeature = /^ {2}kube:\w+=true\|false \((?:ALPHA|BETA|DEPRECATED)/;
    const lines = features.trimEnd().split('\n');
    expect([lines.length, lines.filter((line) => !isFeature.test(line))]).toEqual([150, []]);
    expect([flags.includes('kube:'), flags.split('\n').length < 240]).toEqual([false, true]);
  });

  it.each([[[]], [['backup']], [['restore']], [['check']]])('%j --help begins in 80 columns', async (command) => {
    const [description = ''] = (await run(...command, '--help')).stdout.split(/\n\w+ flags:\n/);
    expect(description.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('--help is ASCII, whose bytes are as many as its columns', async () => {
    const { stdout } = await run('--help');
    expect(stdout.match(/[^\n -~].*/g)).toBeNull();
  });

  it('--version and --version=raw', async () => {
    expect((await run('--version')).stdout).toMatch(/^Kubernetes v1\.36\.\d+\+apiserver\.\d+\.\d+\.\d+\n$/);
    expect((await run('--version=raw')).stdout).toMatch(
      /^version\.Info\{Major:"1", Minor:"36", EmulationMajor:"1", .*, Compiler:"gc", Platform:"\w+\/\w+"\}\n$/,
    );
  });

  it('help precedes everything else', async () => {
    expect((await run('extra', '--help')).code).toBe(0);
  });

  it.each([
    [['extra', 'more'], '"kube-apiserver" does not take any arguments, got ["extra" "more"]'],
    [['--nothing'], 'unknown flag: --nothing'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--vmodule=a'], 'invalid argument "a" for "--vmodule" flag: "a" does not have the pattern=N format'],
    [['-v=x'], 'invalid argument "x" for "-v, --v" flag: strconv.ParseUint: parsing "x": invalid syntax'],
  ])('%j is refused', async (args, message) => {
    expect(await run(...args)).toEqual({ code: 1, stdout: '', stderr: `Error: ${message}\n` });
  });
});
