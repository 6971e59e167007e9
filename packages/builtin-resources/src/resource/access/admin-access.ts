import type { DeviceRequest, ResourceClaimStatus } from '@apiserver/api/resource/v1';
import { messageOf } from '@apiserver/apimachinery/errors';
import { type FieldError, FieldPath, fieldForbidden, fieldInternal } from '@apiserver/apimachinery/field';
import type { VerbContext } from '@apiserver/apiserver-contracts';

const LABEL = 'resource.kubernetes.io/admin-access';

/** The current labels of a stored namespace; throws a StatusError if it is missing. */
export type NamespaceLabels = (context: VerbContext, name: string) => Promise<Readonly<Record<string, string>>>;

/**
 * Admin access to devices in use is restricted to labelled namespaces. The path is that of a claim, without the
 * wrapper of a single request, even for templates, as upstream.
 * Upstream: AuthorizedForAdmin of pkg/registry/resource/utils.go
 */
export async function refuseAdminRequests(
  context: VerbContext,
  requests: readonly DeviceRequest[],
  labelsOf: NamespaceLabels,
): Promise<readonly FieldError[]> {
  const index = requests.findIndex(({ exactly }) => exactly?.adminAccess === true);
  const path = FieldPath.of('spec', 'devices', 'requests').index(index).child('adminAccess');
  return index < 0 ? [] : refuseUnlabelled(context, path, labelsOf);
}

/** Existing grants are not checked again. Upstream: AuthorizedForAdminStatus */
export async function refuseAdminResults(
  context: VerbContext,
  status: ResourceClaimStatus,
  old: ResourceClaimStatus,
  labelsOf: NamespaceLabels,
): Promise<readonly FieldError[]> {
  const index = adminResult(status);
  if (index < 0 || adminResult(old) >= 0) return [];
  const path = FieldPath.of('status', 'allocation', 'devices', 'results').index(index).child('adminAccess');
  return refuseUnlabelled(context, path, labelsOf);
}

function adminResult({ allocation }: ResourceClaimStatus): number {
  return (allocation?.devices.results ?? []).findIndex(({ adminAccess }) => adminAccess === true);
}

async function refuseUnlabelled(
  context: VerbContext,
  path: FieldPath,
  labelsOf: NamespaceLabels,
): Promise<readonly FieldError[]> {
  try {
    const labels = await labelsOf(context, context.namespace);
    if (labels[LABEL] === 'true') return [];
    const detail = `admin access to devices requires the \`${LABEL}: true\` label on the containing namespace`;
    return [fieldForbidden(path, detail)];
  } catch (error) {
    const reason = messageOf(error);
    return [fieldInternal(path, new Error(`could not retrieve namespace to verify admin access: ${reason}`))];
  }
}
