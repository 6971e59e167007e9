import http from 'node:http';
import { compileKind } from '@apiserver/apimachinery';
import { builtinGroups } from '@apiserver/builtin-resources';
import { createApiContainer, createDiscovery } from '@apiserver/endpoints-installer';
import { createTestExchange } from '@apiserver/endpoints-installer/testing';
import { createStorageProvider, installedResource, systemClock } from '@apiserver/registry-store';
import { createMemoryStore } from '@apiserver/registry-store/memory';

const codecs = new Map();
const codecFor = (s) => {
  let c = codecs.get(s);
  if (!c) {
    c = compileKind(s);
    codecs.set(s, c);
  }
  return c;
};
const store = await createMemoryStore({ clock: systemClock });
const provider = createStorageProvider({ store, clock: systemClock, codecFor });
const logger = {
  info() {},
  warning() {},
  error(e, m) {
    console.log('ERR', m, e);
  },
  v() {},
  named() {
    return logger;
  },
};
const container = createApiContainer({
  admission: { handles: () => false },
  authorizer: { authorize: () => ({ decision: 'Allow', reason: '' }) },
  logger,
  codecFor,
});
for (const g of builtinGroups())
  container.install({
    group: g.group,
    versions: g.versions,
    resources: g.definitions.map((d) =>
      installedResource(d, provider, {
        random: (n) => Math.floor(Math.random() * n),
        newUid: () => crypto.randomUUID(),
        clock: systemClock,
      }),
    ),
  });
await provider.ready();
const server = http.createServer(async (req, res) => {
  const chunks = [];
  for await (const c of req) chunks.push(c);
  if (req.url === '/version') {
    res.setHeader('content-type', 'application/json');
    return res.end(JSON.stringify({ major: '1', minor: '36', gitVersion: 'v1.36.0' }));
  }
  let ex;
  try {
    ex = createTestExchange({
      method: req.method,
      url: req.url,
      headers: req.headers,
      body: Buffer.concat(chunks),
      user: { name: 'admin', groups: ['system:masters'], extra: {} },
    });
  } catch (e) {
    res.statusCode = 400;
    return res.end();
  }
  const ac = new AbortController();
  res.on('close', () => {
    ex.abort(new Error('gone'));
    ex.finish();
  });
  const h = container.handlerFor(ex);
  if (!h) {
    res.statusCode = 404;
    res.setHeader('content-type', 'text/plain; charset=utf-8');
    return res.end('404 page not found\n');
  }
  const r = await h(ex);
  for (const [k, v] of ex.responseHeaders.entries()) res.setHeader(k, v);
  if (ex.warnings.length)
    res.setHeader(
      'warning',
      ex.warnings.map((w) => '299 - ' + JSON.stringify(w)),
    );
  res.statusCode = r.status;
  if (r.type === 'bytes') return res.end(r.body);
  if (r.type === 'chunks') {
    for await (const c of r.chunks) res.write(c);
    return res.end();
  }
  res.flushHeaders();
  await r
    .run({
      write(c) {
        res.write(c);
      },
      bufferedBytes: 0,
      closed: false,
      drained: async () => {},
    })
    .catch((e) => console.log('stream', e));
  res.end();
});
server.listen(0, '127.0.0.1', async () => {
  const p = server.address().port;
  const fs = await import('node:fs');
  fs.writeFileSync(
    '/tmp/h6.kubeconfig',
    `apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: c, user: u}\nclusters:\n- name: c\n  cluster: {server: "http://127.0.0.1:${p}"}\nusers:\n- name: u\n  user: {token: x}\n`,
  );
  console.log('up', p);
});
