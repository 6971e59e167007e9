import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shutdownSignal } from './signals.js';

/** A process, in a shell of npm or not, whose signal to shut down is observed. */
function observed(npmShell?: () => number) {
  const source = Object.assign(new EventEmitter(), { npmShell });
  const exits: number[] = [];
  const handler = shutdownSignal(source, (code) => exits.push(code));
  return { source, handler, state: () => [handler.signal.aborted, exits] };
}

describe('shutdownSignal', () => {
  it('aborts on the first signal, exits on the second, and removes its listeners', () => {
    const { source, handler, state } = observed();
    expect(state()).toEqual([false, []]);
    source.emit('SIGTERM');
    expect(state()).toEqual([true, []]);
    source.emit('SIGINT');
    expect(state()).toEqual([true, [1]]);
    handler[Symbol.dispose]();
    expect(source.eventNames()).toEqual([]);
  });
});

describe('shutdownSignal in a shell of npm', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('ignores the echo of a signal, and exits on a later one', () => {
    const { source, handler, state } = observed(() => 7);
    source.emit('SIGINT');
    source.emit('SIGINT');
    expect(state()).toEqual([true, []]);
    vi.advanceTimersByTime(201);
    source.emit('SIGINT');
    expect(state()).toEqual([true, [1]]);
    handler[Symbol.dispose]();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('aborts when the shell has ended', () => {
    let shell = 7;
    const { state } = observed(() => shell);
    vi.advanceTimersByTime(1_000);
    expect(state()).toEqual([false, []]);
    shell = 1;
    vi.advanceTimersByTime(100);
    expect([...state(), vi.getTimerCount()]).toEqual([true, [], 0]);
  });

  it('does not take the end of the shell for a second signal', () => {
    let shell = 7;
    const { source, state } = observed(() => shell);
    source.emit('SIGTERM');
    shell = 1;
    vi.advanceTimersByTime(1_000);
    expect(state()).toEqual([true, []]);
  });
});
