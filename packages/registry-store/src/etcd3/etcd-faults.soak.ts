import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { type EtcdServer, findEtcd, NO_ETCD, startEtcd, startEtcdCluster } from '../testing/etcd-server.js';
import { reportSoak, seededRandom, soakShare } from '../testing/soak-share.js';
import { underLoad } from '../testing/store-load.js';
import { openEtcdStore } from './open-etcd-store.js';

const { seconds, seed } = soakShare();
/** Each of the two gets half of the share, and at least a few rounds. */
const roundsUntil = (rounds: number) => {
  const end = performance.now() + seconds * 500;
  let round = 0;
  return () => round++ < rounds || performance.now() < end;
};

describe.skipIf(findEtcd() === undefined)(`etcd3 faults, for long (${NO_ETCD})`, () => {
  it('loses nothing over many kills', async () => {
    await using server = await startEtcd();
    await using store = await openEtcdStore({ servers: [server.url], compactionInterval: 0 });
    const random = seededRandom(seed);
    const goesOn = roundsUntil(5);
    let kills = 0;
    const writers = await underLoad(store, async () => {
      for (; goesOn(); kills++) {
        await server.kill();
        await sleep(random() * 400);
        await server.start();
        await sleep(100 + random() * 300);
      }
    });
    const writes = writers.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
    reportSoak(`etcd killed ${kills} times, ${writes} acknowledged writes are all there`);
  });

  it('rotates through a cluster whose members die, hang and return in turn', async () => {
    const servers = await startEtcdCluster(3);
    await using resources = new AsyncDisposableStack();
    for (const server of servers) resources.use(server);
    await using store = await openEtcdStore({ servers: servers.map(({ url }) => url), compactionInterval: 0 });
    const goesOn = roundsUntil(3);
    const writers = await underLoad(store, async () => {
      for (let i = 0; goesOn(); i++) {
        const server = servers[i % servers.length] as EtcdServer;
        if (i % 2 === 0) {
          await server.kill();
          await sleep(2000);
          await server.start();
        } else {
          server.signal('SIGSTOP');
          await sleep(3000);
          server.signal('SIGCONT');
        }
        await sleep(2000);
      }
    });
    for (const writer of writers) expect(writer.acknowledged.size).toBeGreaterThan(100);
  });
});
