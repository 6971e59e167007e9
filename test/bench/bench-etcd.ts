import type { EtcdServer } from '@apiserver/registry-store/testing';

/** Bytes; its own default, 2 GiB, would not take the history of half a million objects. */
const quota = 8 * 2 ** 30;

/** An etcd of a server's own, on free ports, in a folder that goes with it. */
export async function startBenchEtcd(): Promise<EtcdServer> {
  const { startEtcd } = await import('@apiserver/registry-store/testing');
  return await startEtcd({ flags: [`--quota-backend-bytes=${quota}`] });
}
