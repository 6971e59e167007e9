import type { KubeObject, Status } from '@apiserver/apimachinery';
import { parseJsonText } from '@apiserver/apimachinery/codec/json';
import { isStatusError, newInternalError, StatusError } from '@apiserver/apimachinery/errors';
import type { WatchEventType, WatchSink, WatchSource } from '@apiserver/apiserver-contracts';
import { remoteObject } from './remote-object.js';
import type { RestRequest, RestSender } from './rest-request.js';

/** Characters of one event that are taken: more than any object may have. */
const MAX_LINE = 8 * 1024 * 1024;

/** A watch on another server, which has accepted it. Throws as `send` does. */
export async function openRemoteWatch<T extends KubeObject>(
  client: RestSender,
  request: RestRequest,
): Promise<WatchSource<T>> {
  const stop = new AbortController();
  return watchOfBody(await client.open(request, stop.signal), stop);
}

/** The watch whose events are the lines of a body, in JSON. Closing it aborts `stop`, which must end the body. */
export function watchOfBody<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  stop: AbortController,
): WatchSource<T> {
  return {
    start: (sink) => void deliver<T>(body, sink, stop.signal),
    close: () => stop.abort(),
  };
}

/** Never rejects. A broken connection ends the watch in order: its watcher continues from the last version. */
async function deliver<T extends KubeObject>(
  body: AsyncIterable<Uint8Array>,
  sink: WatchSink<T>,
  signal: AbortSignal,
): Promise<void> {
  let failure: StatusError | undefined;
  try {
    for await (const line of linesOf(body)) {
      if (signal.aborted) return;
      const { type, object } = eventOf<T>(line);
      sink.event({ type, object: remoteObject(object), frames: new Map() });
    }
  } catch (error) {
    failure = isStatusError(error) ? error : undefined;
  }
  if (!signal.aborted) sink.end(failure);
}

/** The lines that are not empty. A last line without a line break is dropped. Looks at each character once. */
async function* linesOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split('\n');
    parts.push(first);
    length += first.length;
    const last = others.pop();
    if (last !== undefined) {
      yield* [parts.join(''), ...others].filter((line) => line !== '');
      parts = [last];
      length = last.length;
    }
    if (length > MAX_LINE) throw newInternalError(new Error('an event of the watch is too large'));
  }
}

interface RemoteEvent<T> {
  readonly type: WatchEventType;
  readonly object: T;
}

/** Throws the StatusError of an event that says why the watch ends. */
function eventOf<T>(line: string): RemoteEvent<T> {
  // The server's watch of a kind has objects of that kind.
  const event = parseJsonText(line) as RemoteEvent<T> | { readonly type: 'ERROR'; readonly object: Status };
  if (event.type === 'ERROR') throw new StatusError(event.object);
  return event;
}
