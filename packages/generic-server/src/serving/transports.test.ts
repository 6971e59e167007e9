import { transportSuite } from '../testing/transport-suite.js';
import { NodeHttp2Transport } from './node-http2/node-http2-transport.js';

const noUpgrade = { 'is handed over to an upgrade, or refused one': 'HTTP/2 has no upgrades' };

transportSuite('HTTP/1.1', {
  protocol: 'http/1.1',
  skipped: {
    'may be given back its memory once that is copied': 'Node does not tell when it has copied a write',
  },
});
transportSuite('HTTP/2 by @apiserver/http2', { protocol: 'h2', skipped: noUpgrade });
transportSuite('HTTP/2 by node:http2', {
  protocol: 'h2',
  listener: { http2Transport: NodeHttp2Transport },
  skipped: noUpgrade,
});
