import { expect, it } from 'vitest';
import { withDefaults } from './default-flags.mjs';

const [address, mode, privileged, controllers] = [
  '--bind-address=127.0.0.1',
  '--authorization-mode=RBAC',
  '--allow-privileged=true',
  '--controllers=*',
];

it.each([
  [[], [address, mode, privileged, controllers]],
  [['-v=4'], [address, mode, privileged, controllers, '-v=4']],
  [
    ['--bind-address', '::1', '--controllers='],
    [mode, privileged, '--bind-address', '::1', '--controllers='],
  ],
  // The file names the modes itself, and excludes the flag.
  [['--authorization-config=f'], [address, privileged, controllers, '--authorization-config=f']],
  // A flag before the command would make the command an unwanted argument.
  [
    ['backup', 'file', '--data-dir=d'],
    ['backup', 'file', '--data-dir=d'],
  ],
])('makes of the arguments %j: %j', (args, expected) => {
  expect(withDefaults(args)).toEqual(expected);
});
