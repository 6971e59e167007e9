import { type Http2ServerTraits, http2ServerSuite } from '@apiserver/http2/testing';
import { startHttp2Listener } from '../../testing/http2-listener-fixture.js';
import { NodeHttp2Transport } from './node-http2-transport.js';

type Differences = NonNullable<Http2ServerTraits['differences']>;

function each(names: readonly string[], instead: Differences[string]['instead'], because: string): Differences {
  return Object.fromEntries(names.map((name) => [name, { instead, because }]));
}

const endsConnection = 'nghttp2 ends the connection where RFC 9113 allows it';
const skipsField = 'nghttp2 drops a field that is malformed in this way';

http2ServerSuite('node:http2', () => startHttp2Listener(NodeHttp2Transport), {
  differences: {
    ...each(
      ['4 frames: headers as large as agreed', 'RFC 7541: a text in Huffman’s code in many frames'],
      'connection COMPRESSION_ERROR',
      'nghttp2 takes heads of 64 KiB',
    ),
    ...each(
      ['6.1 DATA: behind the end', '6.1 DATA: behind the end, nothing in it', '6.2 HEADERS: behind the end'],
      'connection STREAM_CLOSED',
      endsConnection,
    ),
    ...each(['8.1 bodies: behind trailers'], 'connection STREAM_CLOSED', endsConnection),
    ...each(
      ['6.2 HEADERS: a stream that waits for itself', '6.9 WINDOW_UPDATE: by nothing, of a stream'],
      'connection PROTOCOL_ERROR',
      endsConnection,
    ),
    ...each(
      ['6.9 WINDOW_UPDATE: by too much, of a stream', '6.9 WINDOW_UPDATE: by too much in the end'],
      'connection FLOW_CONTROL_ERROR',
      endsConnection,
    ),
    ...each(
      [
        '6.1 DATA: on a stream that is over',
        '6.1 DATA: on a stream that the client has reset',
        '6.2 HEADERS: on a stream before the last',
        '6.2 HEADERS: on a stream that is over',
      ],
      'ignored',
      'nghttp2 takes the stream for one that has just closed',
    ),
    ...each(
      ['6.3 PRIORITY: of the connection', '6.3 PRIORITY: of a stream that waits for itself'],
      'ignored',
      'nghttp2 no longer reads priorities',
    ),
    ...each(['6.5 SETTINGS: said twice'], 'ignored', 'the last one counts, as RFC 9113 has it'),
    ...each(['6.5 SETTINGS: more than a hundred'], 'connection ENHANCE_YOUR_CALM', 'nghttp2 has its own code'),
    ...each(['6.7 PING: an acknowledgement of none'], 'connection INTERNAL_ERROR', 'Node takes it for an error'),
    ...each(
      ['6.10 CONTINUATION: byte by byte'],
      'connection INTERNAL_ERROR',
      'nghttp2 takes eight frames that continue a head',
    ),
    ...each(
      [
        '8.2 fields: a name of nothing',
        '8.2 fields: a space in a name',
        '8.2 fields: a line break in a name',
        '8.2 fields: a line break in a value',
        '8.2 fields: a zero in a value',
      ],
      'responded 200',
      skipsField,
    ),
    ...each(
      [
        '8.2 fields: a connection',
        '8.2 fields: a connection to be kept',
        '8.2 fields: a connection to a proxy',
        '8.2 fields: chunks',
        '8.2 fields: an upgrade',
        '8.2 fields: a wish for compressed trailers',
        'RFC 7541: a malformed field, and then a continuation',
      ],
      'stream PROTOCOL_ERROR',
      'nghttp2 resets the stream before anybody can respond',
    ),
    ...each(['8.1 bodies: longer than they say'], 'connection INTERNAL_ERROR', 'Node takes it for an error of its own'),
    ...each(
      [
        'RFC 7541: more fields than it takes, in a few bytes',
        'RFC 7541: more fields than it takes, and then a continuation',
        'RFC 7541: more fields than it takes, and then an empty continuation',
      ],
      'stream ENHANCE_YOUR_CALM',
      'Node resets the stream before anybody can respond',
    ),
  },
  skipped: {
    'ends a connection that begins with another protocol': 'nghttp2 ends it with INTERNAL_ERROR',
    'ends a connection that begins with a preface with an error in it': 'nghttp2 ends it with INTERNAL_ERROR',
    'takes as many streams as it says, and one more when one is over':
      'nghttp2 ends the connection of a client that opens one too many',
    'ends a response whose window has become negative': 'nghttp2 sends the end of a stream when there is a window',
  },
});
