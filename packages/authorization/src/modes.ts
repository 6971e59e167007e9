import { quote } from '@apiserver/apimachinery/text';

/** Every mode that `--authorization-mode` knows upstream. Upstream: pkg/kubeapiserver/authorizer/modes */
export const authorizationModes = ['AlwaysAllow', 'AlwaysDeny', 'ABAC', 'Webhook', 'RBAC', 'Node'] as const;

/** A value of `--authorization-mode`. */
export type AuthorizationMode = (typeof authorizationModes)[number];

/** Settings of modes, by their flags. */
export interface ModeSettings {
  /** The modes that the server has. */
  readonly available: readonly AuthorizationMode[];
  /** `--authorization-policy-file` */
  readonly policyFile?: string;
  /** `--authorization-webhook-config-file` */
  readonly webhookConfigFile?: string;
}

/**
 * The faults of a list of modes, in upstream's words; empty if there are none. A mode that the server lacks is a fault,
 * because ignoring it could open or lock the server.
 * Upstream: pkg/kubeapiserver/options.BuiltInAuthorizationOptions.Validate
 */
export function validateAuthorizationModes(modes: readonly string[], settings: ModeSettings): string[] {
  const { available, policyFile = '', webhookConfigFile = '' } = settings;
  const errors = modes.length === 0 ? ['at least one authorization-mode must be passed'] : [];
  for (const mode of modes) {
    if (!isAuthorizationMode(mode)) errors.push(`authorization-mode ${quote(mode)} is not a valid mode`);
    else if (!available.includes(mode)) {
      errors.push(`authorization-mode ${quote(mode)} is not available in this server yet`);
    }
    if (mode === 'ABAC' && policyFile === '') {
      errors.push("authorization-mode ABAC's authorization policy file not passed");
    }
    if (mode === 'Webhook' && webhookConfigFile === '') {
      errors.push("authorization-mode Webhook's authorization config file not passed");
    }
  }
  if (policyFile !== '' && !modes.includes('ABAC')) {
    errors.push('cannot specify --authorization-policy-file without mode ABAC');
  }
  if (webhookConfigFile !== '' && !modes.includes('Webhook')) {
    errors.push('cannot specify --authorization-webhook-config-file without mode Webhook');
  }
  if (new Set(modes).size !== modes.length) {
    const quoted = modes.map((mode) => quote(mode)).join(' ');
    errors.push(`authorization-mode [${quoted}] has mode specified more than once`);
  }
  return errors;
}

function isAuthorizationMode(mode: string): mode is AuthorizationMode {
  return authorizationModes.some((known) => known === mode);
}
