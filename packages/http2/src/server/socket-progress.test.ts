import { Duplex } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { SocketProgress } from './socket-progress.js';

describe('the progress of a socket', () => {
  it.each<[string, object, (handle: { writeQueueSize: number }) => void]>([
    ['the socket', { writeQueueSize: 10 }, (handle) => handle.writeQueueSize--],
    ['the connection below TLS', { writeQueueSize: 10, _parent: { writeQueueSize: 5 } }, () => {}],
  ])('is visible in the handle of %s', (_whose, handle) => {
    const socket = Object.assign(new Duplex(), { _handle: handle });
    const progress = new SocketProgress(socket);
    progress.restart(1);
    const looks = [progress.stuckSince(2), progress.stuckSince(3)];
    const inner = (Reflect.get(handle, '_parent') ?? handle) as { writeQueueSize: number };
    inner.writeQueueSize--;
    looks.push(progress.stuckSince(4), progress.stuckSince(5));
    progress.restart(6);
    inner.writeQueueSize = 100;
    looks.push(progress.stuckSince(7));
    expect(looks).toEqual([1, 1, 4, 4, 6]);
  });

  it('is that of whole writes for other streams', () => {
    const progress = new SocketProgress(new Duplex());
    progress.restart(1);
    expect([progress.stuckSince(2), progress.stuckSince(3)]).toEqual([1, 1]);
  });
});
