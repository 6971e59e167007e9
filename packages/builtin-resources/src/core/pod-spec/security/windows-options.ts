import type { PodSpec, WindowsSecurityContextOptions } from '@apiserver/api/core/v1';
import { type FieldError, type FieldPath, fieldInvalid } from '@apiserver/apimachinery/field';
import { byteLength, isDNS1123Subdomain } from '@apiserver/apimachinery/validation';
import { containersWithPath } from '../visit-containers.js';
import { refuseHostProcess } from './privileged.js';

const MAX_CREDENTIAL_SPEC_KIB = 64;
const MAX_DOMAIN_LENGTH = 256;
const MAX_USER_LENGTH = 104;

/** Upstream: validateWindowsSecurityContextOptions of pkg/apis/core/validation/validation.go */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
): FieldError[] {
  if (options === undefined) return [];
  const { gmsaCredentialSpecName: specName, gmsaCredentialSpec: spec, runAsUserName: userName } = options;
  const named = (field: string, value: string, faults: readonly string[]) =>
    faults.map((fault) => fieldInvalid(path.child(field), value, fault));
  return [
    ...(specName === undefined ? [] : named('gmsaCredentialSpecName', specName, isDNS1123Subdomain(specName))),
    ...(spec === undefined ? [] : named('gmsaCredentialSpec', spec, credentialSpecFaults(spec))),
    ...(userName === undefined ? [] : named('runAsUserName', userName, userNameFaults(userName))),
  ];
}

function credentialSpecFaults(spec: string): string[] {
  if (spec === '') return ['gmsaCredentialSpec cannot be an empty string'];
  if (byteLength(spec) <= MAX_CREDENTIAL_SPEC_KIB * 1024) return [];
  return [`gmsaCredentialSpec size must be under ${MAX_CREDENTIAL_SPEC_KIB} KiB`];
}

/** `DOMAIN\USER`, or only the user. */
function userNameFaults(name: string): string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  if (/[\u0000-\u001f\u007f]/.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  return [...(parts.length === 2 ? domainFaults(parts[0] ?? '') : []), ...userFaults(user)];
}

function domainFaults(domain: string): string[] {
  const faults: string[] = [];
  if (byteLength(domain) >= MAX_DOMAIN_LENGTH) {
    faults.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN_LENGTH} characters`);
  }
  const isNetBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain);
  const isDNS = domain.split('.').every((label) => /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/.test(label));
  if (!isNetBios && !isDNS) faults.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  return faults;
}

function userFaults(user: string): string[] {
  const faults: string[] = [];
  if (user === '') faults.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > MAX_USER_LENGTH) {
    faults.push(`runAsUserName's User length must not be longer than ${MAX_USER_LENGTH} characters`);
  }
  if (/^[. ]+$/.test(user)) faults.push("runAsUserName's User cannot contain only periods or spaces");
  if (/["/\\:;|=,+*?<>@[\]]/.test(user)) {
    faults.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  }
  return faults;
}

/**
 * Validates host process containers of Windows: all of a pod or none, and with the host's network.
 * Upstream: validateWindowsHostProcessPod
 */
export function validateWindowsHostProcess(spec: PodSpec, path: FieldPath): FieldError[] {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = [...containersWithPath(spec, path)];
  const errors: FieldError[] = [];
  let count = 0;
  for (const [{ securityContext }, place] of containers) {
    const own = securityContext?.windowsOptions?.hostProcess;
    if (own ?? ofPod) count++;
    if (own === undefined || ofPod === undefined || own === ofPod) continue;
    const message = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
    errors.push(fieldInvalid(place.child('securityContext', 'windowsOptions', 'hostProcess'), own, message));
  }
  if (count === 0) return errors;
  if (count !== containers.length) {
    const message = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(fieldInvalid(path, '', message));
  }
  if (!spec.hostNetwork) {
    const message = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(fieldInvalid(path.child('hostNetwork'), false, message));
  }
  return [...errors, ...refuseHostProcess(path)];
}
