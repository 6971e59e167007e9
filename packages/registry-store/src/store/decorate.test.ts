import type { StoredObject, WatchEvent, WatchSink } from '@apiserver/apiserver-contracts';
import { describe, expect, it, vi } from 'vitest';
import { type Widget, widget } from '../testing/widget.js';
import { decorated, decoratedList, decoratedWatch } from './decorate.js';

const LARGE = 256 * 1024;
const WIRE = new Uint8Array([1]);

function stored(name: string, changes: Partial<StoredObject<Widget>> = {}): StoredObject<Widget> {
  return { object: widget({ name, resourceVersion: '7' }), resourceVersion: '7', wire: () => WIRE, ...changes };
}

/** Makes every object but "plain" ready. */
const ready = (object: Widget): Widget =>
  object.metadata.name === 'plain' ? object : { ...object, status: { ready: true } };

const statusOf = ({ object }: StoredObject<Widget>) => object.status;

describe('an object', () => {
  it('keeps its bytes without a hook, and if the hook changes nothing', () => {
    const plain = stored('plain');
    expect([decorated(undefined, plain), decorated(ready, plain)]).toEqual([plain, plain]);
    expect(decorated(ready, plain).wire({ contentType: '', group: '', version: '', kind: '' })).toBe(WIRE);
  });

  it('loses its bytes if the hook changes it', () => {
    const changed = decorated(ready, stored('a'));
    expect([statusOf(changed), changed.resourceVersion]).toEqual([{ ready: true }, '7']);
    expect(changed.wire({ contentType: '', group: '', version: '', kind: '' })).toBeUndefined();
  });
});

describe('a list', () => {
  it('is the same one without a hook', async () => {
    const list = { items: [stored('a')], resourceVersion: '9' };
    expect(await decoratedList(undefined, list)).toBe(list);
  });

  it('has each object decorated, and no runs of the plain ones', async () => {
    const rest = { resourceVersion: '9', continue: 'token', remainingItemCount: 4 };
    const list = { items: [stored('a'), stored('plain')], runs: () => [], ...rest };
    const { items, ...others } = await decoratedList<Widget>(ready, list);
    expect([items.map(statusOf), others]).toEqual([[{ ready: true }, undefined], rest]);
  });

  it('loads what is not loaded before it decorates it', async () => {
    let object: Widget | undefined;
    const late: StoredObject<Widget> = {
      get object(): Widget {
        if (object === undefined) throw new Error('not loaded');
        return object;
      },
      load: async () => {
        await Promise.resolve();
        object = widget({ name: 'late' });
        return object;
      },
      resourceVersion: '7',
      wire: () => undefined,
    };
    const loaded = stored('loaded', { load: () => undefined });
    const { items } = await decoratedList(ready, { items: [late, loaded], resourceVersion: '9' });
    expect(items.map(statusOf)).toEqual([{ ready: true }, { ready: true }]);
  });
});

describe('a watch', () => {
  /** Its events with `decorate`, and a sink into the undecorated watch. */
  function watched(decorate: ((object: Widget) => Widget) | undefined, followsRestore?: true) {
    const received: WatchEvent<Widget>[] = [];
    const ended: unknown[] = [];
    const close = vi.fn();
    const sinks: WatchSink<Widget>[] = [];
    const source = { start: (sink: WatchSink<Widget>) => void sinks.push(sink), close };
    const watch = decoratedWatch(decorate, source);
    watch.start({
      ...(followsRestore && { followsRestore }),
      event: (event) => void received.push(event),
      end: (error) => void ended.push(error),
    });
    return { watch, source, sink: sinks[0], received, ended, close };
  }

  const event = (type: WatchEvent<Widget>['type'], object: StoredObject<Widget>): WatchEvent<Widget> => ({
    type,
    object,
    frames: new Map([['json', WIRE]]) as never,
  });

  it('is the same one without a hook', () => {
    const { watch, source } = watched(undefined);
    expect(watch).toBe(source);
  });

  it('decorates objects, and neither bookmarks nor those that stay the same', () => {
    const { sink, received } = watched(ready);
    const same = [event('BOOKMARK', stored('a')), event('MODIFIED', stored('plain'))];
    for (const one of same) sink?.event(one);
    sink?.event(event('ADDED', stored('a')));
    sink?.event(event('DELETED', stored('b')));
    expect(received.slice(0, 2).map((one, at) => one === same[at])).toEqual([true, true]);
    const shown = received.slice(2).map(({ type, object, frames }) => [type, statusOf(object), frames.size]);
    expect(shown).toEqual([
      ['ADDED', { ready: true }, 0],
      ['DELETED', { ready: true }, 0],
    ]);
  });

  it('decorates a large object on demand', async () => {
    const decorate = vi.fn(ready);
    const { sink, received } = watched(decorate);
    const small = stored('a', { byteLength: LARGE - 1 });
    sink?.event(event('ADDED', small));
    expect(decorate).toHaveBeenCalledTimes(1);
    const large = stored('a', { byteLength: LARGE, load: async () => widget({ name: 'loaded' }) });
    sink?.event(event('ADDED', large));
    expect(decorate).toHaveBeenCalledTimes(1);
    const object = received[1]?.object;
    expect([object?.object.status, object?.resourceVersion, object?.byteLength]).toEqual([{ ready: true }, '7', LARGE]);
    expect(object?.wire({ contentType: '', group: '', version: '', kind: '' })).toBeUndefined();
    const loaded = await object?.load?.();
    expect([loaded, Object.isFrozen(loaded), Object.isFrozen(object?.object)]).toEqual([
      { ...widget({ name: 'loaded' }), status: { ready: true } },
      true,
      true,
    ]);
  });

  it('that is loaded already needs no load', () => {
    const { sink, received } = watched(ready);
    sink?.event(event('ADDED', stored('a', { byteLength: LARGE, load: () => undefined })));
    sink?.event(event('ADDED', stored('a', { byteLength: LARGE })));
    expect(received.map(({ object }) => object.load?.())).toEqual([undefined, undefined]);
  });

  it('ends and closes with its source', () => {
    const { watch, sink, ended, close } = watched(ready);
    const error = new Error('gone') as never;
    sink?.end(error);
    watch.close();
    expect([ended, close.mock.calls.length]).toEqual([[error], 1]);
  });

  it.each([[true], [undefined]] as const)('tells its source if the sink follows a restore: %s', (follows) => {
    const { sink } = watched(ready, follows);
    expect(sink?.followsRestore).toBe(follows);
  });
});
