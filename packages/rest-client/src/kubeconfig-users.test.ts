import { expect, test } from 'vitest';
import { kubeconfigUsers } from './kubeconfig-users.js';

const user = (name: string) => ({ name, user: { token: name } });

function tokenFor(target: string, names: readonly string[], currentContext = ''): string {
  const contexts = [{ name: 'c', context: { user: 'current' } }];
  const kubeconfig = { users: names.map(user), contexts, 'current-context': currentContext };
  return kubeconfigUsers(kubeconfig, '/', () => 0)(target).token?.() ?? 'anonymous';
}

test.each<[string, string, readonly string[], string]>([
  ['the host and port', 'hook.ns.svc:443', ['*', 'hook.ns.svc', 'hook.ns.svc:443'], 'hook.ns.svc:443'],
  ['a wildcard with the port', 'hook.ns.svc:443', ['hook.ns.svc', '*.svc:443'], '*.svc:443'],
  ['the longest wildcard', 'hook.ns.svc:8443', ['*.svc:8443', '*.ns.svc:8443'], '*.ns.svc:8443'],
  ['the host without the port 443', 'hook.ns.svc:443', ['*.svc', 'hook.ns.svc'], 'hook.ns.svc'],
  ['no host without another port', 'hook.ns.svc:8443', ['hook.ns.svc', '*'], '*'],
  ['no host without a port of three digits', 'hook.ns.svc:444', ['hook.ns.svc', '*'], '*'],
  ['no wildcard of nothing', 'hook.ns.svc:443', ['*.'], 'anonymous'],
  ['the current context', 'hook.ns.svc:443', ['other', 'current'], 'current'],
  ['none', 'hook.ns.svc:443', ['other'], 'anonymous'],
])('the user of a target is that of %s', (_, target, names, expected) => {
  expect(tokenFor(target, names, 'c')).toBe(expected);
});

test('a user with a plugin is refused', () => {
  const users = kubeconfigUsers({ users: [{ name: '*', user: { exec: { command: 'x' } } }] }, '/', () => 0);
  expect(() => users('a:443')).toThrow(
    expect.objectContaining({ name: 'UnsupportedUserError', message: 'auth provider not supported' }),
  );
});

test('fields of another type do not count', () => {
  const odd = { token: 5, username: 'u', password: ['p'], as: 'a', 'as-groups': ['b', 5], 'as-user-extra': { c: 'd' } };
  const credentials = kubeconfigUsers({ users: [{ name: '*', user: odd }] }, '/', () => 0)('a:443');
  expect(credentials).toStrictEqual({
    basic: 'u:',
    impersonation: { user: 'a', uid: '', groups: ['b'], extra: { c: [] } },
  });
  const empty = { token: '', username: '', as: '', 'as-uid': '', 'as-groups': [], tokenFile: '' };
  expect(kubeconfigUsers({ users: [{ name: '*', user: empty }] }, '/', () => 0)('a:443')).toStrictEqual({});
});
