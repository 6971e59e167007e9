import type { ClusterRoleBinding, RoleBinding } from '@apiserver/api/rbac/v1';
import type { KubeObject } from '@apiserver/apimachinery';
import type { Informer } from '@apiserver/apiserver-contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MemoryInformer,
  testClusterRole,
  testClusterRoleBinding,
  testRole,
  testRoleBinding,
  testRule,
  testUser,
} from '../testing/index.js';
import type { BindingMatch } from './binding-match.js';
import { InformedPolicyIndex } from './informed-policy-index.js';
import { listedRuleResolver } from './listed-rule-resolver.js';
import { PolicyIndex } from './policy-index.js';
import { firstMatchingSubject } from './subject-key.js';

const reader = testClusterRole('reader', [testRule('get', [''], 'pods')]);
const writer = testRole('ns', 'writer', [testRule('create', [''], 'pods')]);

function indexOf(...bindings: readonly (ClusterRoleBinding | RoleBinding)[]): PolicyIndex {
  const index = new PolicyIndex({
    role: (namespace, name) => (namespace === 'ns' && name === 'writer' ? writer : undefined),
    clusterRole: (name) => (name === 'reader' ? reader : undefined),
  });
  for (const binding of bindings) {
    if (binding.metadata.namespace === undefined) index.setClusterRoleBinding(binding);
    else index.setRoleBinding(binding);
  }
  return index;
}

/** The visited bindings of the user in order, and the error texts. */
function visited(index: PolicyIndex, user: ReturnType<typeof testUser>, namespace = 'ns'): string[] {
  const seen: string[] = [];
  index.visitRulesFor(user, namespace, {
    rules: (source) => seen.push(String(source)) > 0,
    error: (_source, error) => seen.push(`! ${error().message}`) > 0,
  });
  return seen;
}

describe('PolicyIndex', () => {
  it('visits ClusterRoleBindings, then those of the namespace, each with the subject that matched', () => {
    const index = indexOf(
      testRoleBinding('ns/b', 'ClusterRole reader', 'Group devs'),
      testRoleBinding('ns/a', 'Role writer', 'User amy', 'User bob'),
      testRoleBinding('other/a', 'ClusterRole reader', 'User bob'),
      testClusterRoleBinding('z', 'reader', 'Group devs', 'User bob'),
      testClusterRoleBinding('c', 'reader', 'User bob', 'Group devs'),
    );
    expect(visited(index, testUser('bob', 'devs', 'devs'))).toEqual([
      'ClusterRoleBinding "c" of ClusterRole "reader" to User "bob"',
      'ClusterRoleBinding "z" of ClusterRole "reader" to Group "devs"',
      'RoleBinding "a/ns" of Role "writer" to User "bob"',
      'RoleBinding "b/ns" of ClusterRole "reader" to Group "devs"',
    ]);
    expect(visited(index, testUser('bob'), '')).toEqual([
      'ClusterRoleBinding "c" of ClusterRole "reader" to User "bob"',
      'ClusterRoleBinding "z" of ClusterRole "reader" to User "bob"',
    ]);
  });

  it('goes on behind any binding, also one that is gone', () => {
    const bindings = [
      testClusterRoleBinding('a', 'reader', 'Group devs', 'User bob'),
      testClusterRoleBinding('b', 'gone', 'User bob'),
      testClusterRoleBinding('c', 'reader', 'Group devs'),
      testRoleBinding('ns/a', 'Role writer', 'User bob'),
      testRoleBinding('ns/b', 'Role gone', 'Group devs'),
      testRoleBinding('ns/c', 'Role writer', 'Group devs', 'User bob'),
    ];
    const index = indexOf(...bindings);
    const visit = (after?: BindingMatch, ...groups: string[]): BindingMatch[] => {
      const seen: BindingMatch[] = [];
      const see = (source: BindingMatch) => seen.push(source) > 0;
      index.visitRulesFor(testUser('bob', ...groups), 'ns', { rules: see, error: see }, after);
      return seen;
    };
    for (const groups of [[], ['devs']]) {
      const all = visit(undefined, ...groups);
      for (const [i, last] of all.entries()) expect(visit(last, ...groups)).toEqual(all.slice(i + 1));
    }
    const [, gone, ...others] = visit(undefined, 'devs');
    index.deleteClusterRoleBinding(testClusterRoleBinding('b', 'gone', 'User bob'));
    expect(visit(gone, 'devs')).toEqual(others);
  });

  it('stops when the visitor has enough', () => {
    const index = indexOf(
      testClusterRoleBinding('a', 'reader', 'User bob'),
      testClusterRoleBinding('b', 'reader', 'Group devs'),
      testRoleBinding('ns/c', 'ClusterRole reader', 'User bob'),
    );
    const visits = (enough: number, ...groups: string[]) => {
      let count = 0;
      index.visitRulesFor(testUser('bob', ...groups), 'ns', { rules: () => ++count < enough, error: () => true });
      return count;
    };
    expect([visits(1), visits(2), visits(3), visits(1, 'devs'), visits(2, 'devs'), visits(9, 'devs')]).toEqual([
      1, 2, 2, 1, 2, 3,
    ]);
  });

  it('keeps the error of a missing role', () => {
    const index = indexOf(testClusterRoleBinding('a', 'gone', 'User bob'));
    const errors = [1, 2].flatMap(() => index.rulesFor(testUser('bob'), 'ns').errors);
    expect(errors[0]?.message).toBe('clusterrole.rbac.authorization.k8s.io "gone" not found');
    expect(errors[1]).toBe(errors[0]);
  });

  it('reports a binding whose role has no rules', () => {
    const bare = testClusterRole('bare', []);
    delete bare.rules;
    const index = new PolicyIndex({ role: () => undefined, clusterRole: () => bare });
    index.setClusterRoleBinding(testClusterRoleBinding('a', 'bare', 'User bob'));
    expect(index.rulesFor(testUser('bob'), '')).toEqual({ rules: [], errors: [] });
    expect(() => index.roleReferenceRules({ kind: 'Role', name: 'gone' }, 'ns')).toThrow('"gone" not found');
  });

  it('forgets a ClusterRoleBinding', () => {
    const binding = testClusterRoleBinding('a', 'reader', 'User bob');
    const index = indexOf(binding, testClusterRoleBinding('b', 'reader', 'User bob'));
    index.deleteClusterRoleBinding(binding);
    index.deleteClusterRoleBinding(testClusterRoleBinding('c', 'reader', 'User bob'));
    expect(visited(index, testUser('bob'))).toEqual(['ClusterRoleBinding "b" of ClusterRole "reader" to User "bob"']);
  });

  it('treats a service account as its username, by default in the namespace of the binding', () => {
    const index = indexOf(
      testRoleBinding('ns/own', 'ClusterRole reader', 'ServiceAccount sa'),
      testRoleBinding('ns/foreign', 'ClusterRole reader', 'ServiceAccount far/sa'),
      testClusterRoleBinding('nowhere', 'reader', 'ServiceAccount sa'),
      testClusterRoleBinding('far', 'reader', 'ServiceAccount far/sa'),
    );
    expect(visited(index, testUser('system:serviceaccount::sa'))).toEqual([]);
    expect(visited(index, testUser('system:serviceaccount:ns:sa'))).toEqual([
      'RoleBinding "own/ns" of ClusterRole "reader" to ServiceAccount "sa/ns"',
    ]);
    expect(visited(index, testUser('system:serviceaccount:far:sa'))).toEqual([
      'ClusterRoleBinding "far" of ClusterRole "reader" to ServiceAccount "sa/far"',
      'RoleBinding "foreign/ns" of ClusterRole "reader" to ServiceAccount "sa/far"',
    ]);
  });

  it('reports missing roles by the singular as listers do, and continues', () => {
    const odd = testRoleBinding('ns/c', 'Job x', 'User bob');
    const index = indexOf(
      testClusterRoleBinding('a', 'gone', 'User bob'),
      testClusterRoleBinding('b', 'reader', 'User bob'),
      testRoleBinding('ns/a', 'Role gone', 'User bob'),
      odd,
    );
    expect(visited(index, testUser('bob'))).toEqual([
      '! clusterrole.rbac.authorization.k8s.io "gone" not found',
      'ClusterRoleBinding "b" of ClusterRole "reader" to User "bob"',
      '! role.rbac.authorization.k8s.io "gone" not found',
      '! unsupported role reference kind: "Job"',
    ]);
    expect(() => index.roleReferenceRules(odd.roleRef, 'ns')).toThrow('unsupported role reference kind: "Job"');
    expect(index.roleReferenceRules({ kind: 'Role', name: 'writer' }, 'ns')).toEqual(writer.rules);
  });

  it('ignores subjects of an unknown kind, and groups with the name of the user', () => {
    const index = indexOf(testClusterRoleBinding('a', 'reader', 'Machine bob', 'Group bob'));
    expect(visited(index, testUser('bob', 'Machine'))).toEqual([]);
  });

  it('equals a scan of all bindings after any additions, replacements and removals', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    const subject = fc.constantFrom('User u', 'User v', 'Group g', 'Group h', 'ServiceAccount s', 'ServiceAccount n/s');
    const step = fc.record({ name: names, subjects: fc.array(subject, { maxLength: 4 }), remove: fc.boolean() });
    const user = fc.record({
      name: fc.constantFrom('u', 'v', 'w', 'system:serviceaccount:n:s', 'system:serviceaccount:ns:s'),
      groups: fc.array(fc.constantFrom('g', 'h', 'i'), { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), user, (steps, { name, groups }) => {
        const index = indexOf();
        const model = new Map<string, RoleBinding>();
        for (const { name: bindingName, subjects, remove } of steps) {
          const binding = testRoleBinding(`ns/${bindingName}`, 'ClusterRole reader', ...subjects);
          if (remove) {
            index.deleteRoleBinding(binding);
            model.delete(bindingName);
          } else {
            index.setRoleBinding(binding);
            model.set(bindingName, binding);
          }
        }
        const who = testUser(name, ...groups);
        const expected = [...model].sort().flatMap(([bindingName, { subjects = [] }]) => {
          const found = subjects[firstMatchingSubject(subjects, 'ns', who)];
          const shown = found?.kind === 'ServiceAccount' ? `${found.name}/${found.namespace ?? 'ns'}` : found?.name;
          if (found === undefined) return [];
          return [`RoleBinding "${bindingName}/ns" of ClusterRole "reader" to ${found.kind} "${shown}"`];
        });
        expect(visited(index, who)).toEqual(expected);
      }),
    );
  });
});

describe('InformedPolicyIndex', () => {
  it.each(['roles', 'clusterRoles', 'roleBindings', 'clusterRoleBindings'])(
    'waits for the informer of %s',
    async (late) => {
      const signals: unknown[] = [];
      const informer = <T extends KubeObject>(name: string): Informer<T> =>
        Object.assign(new MemoryInformer<T>(), {
          synced: async (signal?: AbortSignal) => {
            signals.push(signal);
            if (name === late) throw new Error(`${name} are late`);
          },
        });
      const index = new InformedPolicyIndex({
        roles: informer('roles'),
        clusterRoles: informer('clusterRoles'),
        roleBindings: informer('roleBindings'),
        clusterRoleBindings: informer('clusterRoleBindings'),
      });
      const { signal } = new AbortController();
      await expect(index.synced(signal)).rejects.toThrow(`${late} are late`);
      expect(signals).toEqual([signal, signal, signal, signal]);
      index[Symbol.dispose]();
    },
  );

  it('has the existing objects and follows all changes until it is disposed', async () => {
    const bindings = new MemoryInformer([testClusterRoleBinding('a', 'reader', 'User bob')]);
    const informers = {
      roles: new MemoryInformer([writer]),
      roleBindings: new MemoryInformer<RoleBinding>(),
      clusterRoles: new MemoryInformer([reader]),
      clusterRoleBindings: bindings,
    };
    const followed = new InformedPolicyIndex(informers);
    await followed.synced();
    const { index } = followed;
    expect(index.rulesFor(testUser('bob'), 'ns').rules).toEqual(reader.rules);
    bindings.set(testClusterRoleBinding('a', 'reader', 'User amy'));
    expect(index.rulesFor(testUser('bob'), 'ns').rules).toEqual([]);
    const inNamespace = testRoleBinding('ns/b', 'Role writer', 'User bob');
    informers.roleBindings.set(inNamespace);
    expect(index.rulesFor(testUser('bob'), 'ns').rules).toEqual(writer.rules);
    informers.roleBindings.delete(inNamespace);
    expect(index.rulesFor(testUser('bob'), 'ns').rules).toEqual([]);
    followed[Symbol.dispose]();
    expect([bindings.subscribers, informers.roleBindings.subscribers]).toEqual([0, 0]);
  });
});

describe('listedRuleResolver', () => {
  it('resolves the same rules as a PolicyIndex, by reading each time', async () => {
    const resolver = listedRuleResolver({
      role: () => Promise.reject(new Error('roles "gone" not found')),
      clusterRole: () => reader,
      roleBindings: () => [testRoleBinding('ns/a', 'Role gone', 'Group g')],
      clusterRoleBindings: async () => [testClusterRoleBinding('a', 'reader', 'User bob')],
    });
    const { rules, errors } = await resolver.rulesFor(testUser('bob', 'g'), 'ns');
    expect([rules, errors.map(String)]).toEqual([reader.rules, ['Error: roles "gone" not found']]);
    expect(await resolver.rulesFor(testUser('amy', 'g'), '')).toEqual({ rules: [], errors: [] });
  });

  it('reads only the bindings that apply to the namespace, and only the roles of the user', async () => {
    const reads: string[] = [];
    const resolver = listedRuleResolver({
      role: async (namespace, name) => {
        reads.push(`role ${namespace}/${name}`);
        return writer;
      },
      clusterRole: (name) => {
        reads.push(`clusterRole ${name}`);
        return reader;
      },
      roleBindings: (namespace) => {
        reads.push(`roleBindings ${namespace}`);
        return [
          testRoleBinding('ns/a', 'Role writer', 'User amy', 'User bob'),
          testRoleBinding('ns/b', 'Role secret', 'User amy'),
        ];
      },
      clusterRoleBindings: () => [testClusterRoleBinding('a', 'reader', 'Group g'), testClusterRoleBinding('b', 'x')],
    });
    const { rules } = await resolver.rulesFor(testUser('bob', 'g'), 'ns');
    expect(rules).toEqual([...(reader.rules ?? []), ...(writer.rules ?? [])]);
    expect(reads.splice(0)).toEqual(['clusterRole reader', 'roleBindings ns', 'role ns/writer']);
    expect(await resolver.rulesFor(testUser('bob'), '')).toEqual({ rules: [], errors: [] });
    expect(reads).toEqual([]);
    expect(await resolver.roleReferenceRules({ kind: 'Role', name: 'writer' }, 'ns')).toEqual(writer.rules);
  });

  it('continues after a list that cannot be read, and treats a role without rules as an empty one', async () => {
    const { rules: _, ...bare } = reader;
    const { rules: __, ...bareRole } = writer;
    const resolver = listedRuleResolver({
      role: () => bareRole,
      clusterRole: () => bare,
      roleBindings: () => [
        testRoleBinding('ns/a', 'Role writer', 'User bob'),
        testRoleBinding('ns/b', 'ClusterRole reader', 'User bob'),
      ],
      clusterRoleBindings: () => Promise.reject(new Error('no list')),
    });
    expect(await resolver.rulesFor(testUser('bob'), 'ns')).toEqual({ rules: [], errors: [new Error('no list')] });
    expect(await resolver.roleReferenceRules({ kind: 'Role', name: 'writer' }, 'ns')).toEqual([]);
    expect(await resolver.roleReferenceRules({ kind: 'ClusterRole', name: 'reader' }, '')).toEqual([]);
    const odd = async () => resolver.roleReferenceRules({ kind: 'Job', name: 'x' }, 'ns');
    await expect(odd).rejects.toThrow('unsupported role reference kind: "Job"');
  });
});
