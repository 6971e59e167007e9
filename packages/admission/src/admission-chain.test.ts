import type { AdmissionPlugin } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { type AdmissionObserver, createAdmissionChain } from './admission-chain.js';
import { testAttributes } from './testing/attributes.js';

describe('createAdmissionChain', () => {
  const called: string[] = [];
  const plugin = (
    name: string,
    operations: readonly string[],
    phases: readonly ('admit' | 'validate')[],
  ): AdmissionPlugin => ({
    name,
    handles: (operation) => operations.includes(operation),
    ...(phases.includes('admit') ? { admit: async () => void called.push(`${name}.admit`) } : undefined),
    ...(phases.includes('validate') ? { validate: () => void called.push(`${name}.validate`) } : undefined),
  });
  const chain = createAdmissionChain([
    plugin('a', ['CREATE', 'DELETE'], ['admit', 'validate']),
    plugin('b', ['CREATE'], ['validate']),
    plugin('c', ['CREATE', 'UPDATE'], ['admit']),
  ]);

  it.each([
    ['CREATE', ['a.admit', 'c.admit', 'a.validate', 'b.validate']],
    ['UPDATE', ['c.admit']],
    ['DELETE', ['a.admit', 'a.validate']],
    ['CONNECT', []],
  ] as const)('%s runs %j', async (operation, expected) => {
    called.length = 0;
    await chain.admit(testAttributes({ operation }));
    await chain.validate(testAttributes({ operation }));
    expect(called).toEqual(expected);
    expect(chain.handles(operation, testAttributes().scope)).toBe(expected.length > 0);
  });

  it('asks a plugin once per endpoint which operations it handles, and calls it for no others', async () => {
    const handles = vi.fn<AdmissionPlugin['handles']>((_operation, { resource }) => resource.resource === 'secrets');
    const admit = vi.fn();
    const { scope } = testAttributes();
    const secrets = { ...scope, resource: { ...scope.resource, resource: 'secrets' } };
    const choosy = createAdmissionChain([{ name: 'choosy', handles, admit }]);
    for (let i = 0; i < 3; i++) {
      expect([choosy.handles('CREATE', scope), choosy.handles('CREATE', secrets)]).toEqual([false, true]);
      await choosy.admit(testAttributes({ scope }));
      await choosy.admit(testAttributes({ scope: secrets }));
    }
    expect([admit.mock.calls.length, handles.mock.calls.length]).toEqual([3, 8]);
  });

  it('skips plugins that are not active', async () => {
    called.length = 0;
    let active = false;
    const idle: AdmissionPlugin = {
      name: 'idle',
      handles: () => true,
      isActive: () => active,
      admit: () => void called.push('idle.admit'),
      validate: () => void called.push('idle.validate'),
    };
    const alone = createAdmissionChain([idle]);
    const run = async () => {
      await alone.admit(testAttributes());
      await alone.validate(testAttributes());
      return [alone.handles('CREATE', testAttributes().scope), ...called.splice(0)];
    };
    expect(await run()).toEqual([false]);
    active = true;
    expect(await run()).toEqual([true, 'idle.admit', 'idle.validate']);
  });

  it.each([false, true])('runs mutating plugins a second time on request (async: %s)', async (isAsync) => {
    const rounds: string[] = [];
    const changing: AdmissionPlugin = {
      name: 'changing',
      handles: () => true,
      admit(attributes) {
        attributes.reinvocation ??= { isReinvoke: false, isRequested: false, values: new Map() };
        attributes.reinvocation.isRequested = true;
        rounds.push(`second: ${attributes.reinvocation.isReinvoke}`);
        return isAsync ? Promise.resolve() : undefined;
      },
    };
    const first: AdmissionPlugin = { name: 'first', handles: () => true, admit: () => void rounds.push('first') };
    await createAdmissionChain([first, changing]).admit(testAttributes());
    expect(rounds).toEqual(['first', 'second: false', 'first', 'second: true']);
  });

  it('stops at the first refusal', async () => {
    called.length = 0;
    const refusing: AdmissionPlugin = {
      name: 'no',
      handles: () => true,
      admit: () => {
        throw new Error('no');
      },
    };
    const refusal = createAdmissionChain([refusing, plugin('later', ['CREATE'], ['admit'])]);
    expect(() => refusal.admit(testAttributes())).toThrow('no');
    expect(called).toEqual([]);
  });

  it('waits for an asynchronous plugin, and for its refusal, before it runs the next one', async () => {
    called.length = 0;
    const { promise, reject } = Promise.withResolvers<void>();
    const slow: AdmissionPlugin = { name: 'slow', handles: () => true, admit: () => promise };
    const waiting = createAdmissionChain([slow, plugin('later', ['CREATE'], ['admit'])]);
    const admitted = waiting.admit(testAttributes());
    reject(new Error('slow'));
    await expect(admitted).rejects.toThrow('slow');
    expect(called).toEqual([]);
  });

  it('counts the plugins that it passes, up to a refusal', async () => {
    const runs = new Map<string, { runs: number }>();
    const observer: AdmissionObserver = {
      now: () => 0,
      observe: () => {},
      skipped(phase, operation, plugins) {
        const counter = { runs: 0 };
        if (plugins.length > 0) runs.set(`${phase} ${operation} ${plugins}`, counter);
        return counter;
      },
    };
    let refuses = false;
    let active = false;
    const admit = () => {
      if (refuses) throw new Error('no');
    };
    const idle = (name: string, ...phases: ('admit' | 'validate')[]) => ({ ...plugin(name, [], phases) });
    const chain = createAdmissionChain(
      [
        idle('a', 'admit', 'validate'),
        idle('b', 'admit'),
        { name: 'c', handles: (operation) => operation === 'CREATE', admit },
        { name: 'd', handles: (operation) => operation === 'CREATE', isActive: () => active, admit: () => {} },
        idle('e', 'admit'),
        idle('uncalled', 'admit'),
      ],
      { observer, operationsOf: ({ name }) => (name === 'uncalled' ? ['DELETE'] : ['CREATE', 'UPDATE']) },
    );
    const counted = async (operation: 'CREATE' | 'UPDATE') => {
      for (const counter of runs.values()) counter.runs = 0;
      await chain.admit(testAttributes({ operation, scope }));
      await chain.validate(testAttributes({ operation, scope }));
      return [...runs].flatMap(([what, { runs: times }]) => (times > 0 ? [what] : []));
    };
    const { scope } = testAttributes();
    expect(await counted('CREATE')).toEqual([
      'admit CREATE a,b',
      'admit CREATE d',
      'admit CREATE e',
      'validate CREATE a',
    ]);
    active = true;
    expect(await counted('CREATE')).toEqual(['admit CREATE a,b', 'admit CREATE e', 'validate CREATE a']);
    expect(await counted('UPDATE')).toEqual(['admit UPDATE a,b,c,d,e', 'validate UPDATE a']);
    refuses = true;
    await expect(counted('CREATE')).rejects.toThrow('no');
    expect([...runs].filter(([, { runs: times }]) => times > 0).map(([what]) => what)).toEqual(['admit CREATE a,b']);
  });

  it('reports the duration of each plugin and each phase, and whether it refused', async () => {
    const seen: unknown[] = [];
    let time = 0;
    const observer: AdmissionObserver = {
      now: () => {
        time += 1000;
        return time;
      },
      observe: ({ plugin, phase, operation, rejected, seconds }) => {
        seen.push([plugin, phase, operation, rejected, seconds]);
      },
      skipped: () => ({ runs: 0 }),
    };
    const fine: AdmissionPlugin = { name: 'fine', handles: () => true, admit: () => {}, validate: () => {} };
    const refusing: AdmissionPlugin = {
      name: 'no',
      handles: () => true,
      validate: () => {
        throw new Error('no');
      },
    };
    const observed = createAdmissionChain([fine, refusing], { observer, operationsOf: () => [] });
    await observed.admit(testAttributes());
    expect(() => observed.validate(testAttributes())).toThrow('no');
    expect(seen).toEqual([
      ['fine', 'admit', 'CREATE', false, 1],
      [undefined, 'admit', 'CREATE', false, 3],
      ['fine', 'validate', 'CREATE', false, 1],
      ['no', 'validate', 'CREATE', true, 1],
      [undefined, 'validate', 'CREATE', true, 5],
    ]);
  });
});
