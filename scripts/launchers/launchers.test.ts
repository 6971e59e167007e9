import { expect, it } from 'vitest';
import { commandScript } from './launchers.mjs';

const lines = commandScript('packages/etcd-launcher/bin/etcd.js', 'D:\\my 100% (test)\\repo\\').split('\r\n');

it('a script for cmd.exe ends every line as cmd.exe does, in ASCII', () => {
  expect([lines.at(-1), lines.filter((line) => !/^[\x20-\x7e]*$/.test(line))]).toEqual(['', []]);
});

it('quotes paths, and takes percent signs and parentheses in them as they are', () => {
  expect(lines).toContain('if not exist "%root%\\%entry%" set "root=D:\\my 100%% (test)\\repo"');
  expect(lines.filter((line) => /^\(|\($/.test(line))).toEqual([]);
});

it('every label that it jumps to is there, and the program’s exit code is its own', () => {
  const targets = lines.flatMap((line) => /\bgoto (\w+)/.exec(line)?.[1] ?? []);
  expect(targets.map((label) => lines.includes(`:${label}`))).toEqual([true]);
  const started = lines.indexOf('"%node%" "%root%\\%entry%" %flags% %*');
  expect(lines[started + 1]).toBe('exit /b %ERRORLEVEL%');
});

it('takes flags from the environment, where the first argument is no command', () => {
  const script = commandScript('some.js', 'C:\\repo', 'SOME_FLAGS').split('\r\n');
  expect(script).toContain('if "%first:~0,1%"=="-" set "flags=%SOME_FLAGS%"');
});
