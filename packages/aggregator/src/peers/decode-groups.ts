import { type APIGroupDiscovery, APIGroupDiscoveryList } from '@apiserver/api/apidiscovery/v2';
import { createDiscoveryCodecs } from '@apiserver/endpoints-installer';

const API_VERSION = 'apidiscovery.k8s.io/v2';
const KIND = 'APIGroupDiscoveryList';

/** Not a bug: a peer without aggregated discovery. */
class OtherKindError extends Error {
  override readonly name = 'OtherKindError';
}

/**
 * Makes a function that returns the groups in a document of aggregated discovery. It throws an Error for another document.
 * Upstream: aggregateDiscovery of k8s.io/apiserver/pkg/util/peerproxy/peer_discovery.go
 */
export function createGroupsDecoder(): (body: string) => readonly APIGroupDiscovery[] {
  const codec = createDiscoveryCodecs()(APIGroupDiscoveryList);
  return (body) => {
    const { apiVersion, kind, items } = codec.decodeJson(Buffer.from(body), 'Ignore').object;
    // As in upstream's decoder, absent names count as the expected ones.
    const [givenVersion, givenKind] = [apiVersion || API_VERSION, kind || KIND];
    if (givenVersion !== API_VERSION || givenKind !== KIND) {
      const reason = `no kind "${givenKind}" is registered for version "${givenVersion}"`;
      throw new OtherKindError(`error decoding discovery response: ${reason}`);
    }
    return items ?? [];
  };
}
