import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { shutdownSignal } from './signals.js';

describe('shutdownSignal', () => {
  it('aborts on the first signal, exits on the second, and removes its listeners', () => {
    const source = new EventEmitter();
    const exits: number[] = [];
    const handler = shutdownSignal(source, (code) => exits.push(code));
    expect([handler.signal.aborted, exits]).toEqual([false, []]);
    source.emit('SIGTERM');
    expect([handler.signal.aborted, exits]).toEqual([true, []]);
    source.emit('SIGINT');
    expect(exits).toEqual([1]);
    handler[Symbol.dispose]();
    expect(source.eventNames()).toEqual([]);
  });
});
