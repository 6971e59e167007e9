import { readFileSync } from 'node:fs';
import { errorOf, goFileError, messageOf } from '@apiserver/apimachinery/errors';
import type { Logger } from '@apiserver/apiserver-contracts';
import {
  type ConfigurationScheme,
  decodeConfigurationLeniently,
  UnknownConfigurationKindError,
} from '@apiserver/component-base/configuration';
import { StartupError } from '@apiserver/component-base/process';
import { type AbacPolicy, policyOfV0, policyOfV1Beta1, type WrittenPolicy } from './abac-policy.js';
import { policyScheme, UNVERSIONED } from './policy-scheme.js';

/** Bytes of a line, with its end, that upstream's reader can keep. Upstream: bufio.MaxScanTokenSize */
const MAX_LINE = 64 * 1024;

type DecodedLine = WrittenPolicy & { readonly spec?: WrittenPolicy };

/**
 * Reads a policy file: one JSON object for each line, and comments that begin with `#`. Unknown fields are ignored.
 * Throws a StartupError with upstream's message.
 * Upstream: NewFromFile of pkg/auth/authorizer/abac/abac.go
 */
export function loadPolicyFile(path: string, logger: Logger): readonly AbacPolicy[] {
  const lines = linesOf(readPolicy(path));
  const scheme = policyScheme();
  const policies: AbacPolicy[] = [];
  let unversioned = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length >= MAX_LINE) {
      throw new StartupError(`error reading policy file ${path}: bufio.Scanner: token too long`);
    }
    const trimmed = line.toString().trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    try {
      const { policy, isUnversioned } = decodeLine(line, scheme);
      policies.push(policy);
      if (isUnversioned) unversioned++;
    } catch (error) {
      const where = `error reading policy file ${path}, line ${index + 1}`;
      throw new StartupError(`${where}: ${line}: ${messageOf(error)}`, { cause: error });
    }
  }
  if (unversioned > 0) {
    const format = 'See docs/admin/authorization.md#abac-mode for ABAC file format details.';
    logger.warning(`Policy file ${path} contained unversioned rules. ${format}`);
  }
  return policies;
}

function readPolicy(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new StartupError(goFileError('open', path, errorOf(error)), { cause: error });
  }
}

/** Lines without their ends. An end of file ends the last one. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    lines.push(bytes.subarray(start, end > start && bytes[end - 1] === 0x0d ? end - 1 : end));
    start = end + 1;
  }
  return lines;
}

function decodeLine(line: Buffer, scheme: ConfigurationScheme): { policy: AbacPolicy; isUnversioned: boolean } {
  try {
    const { object, gvk } = decodeConfigurationLeniently<DecodedLine>(line, scheme);
    const policy = gvk.version === 'v0' ? policyOfV0(object) : policyOfV1Beta1(object.spec ?? {});
    return { policy, isUnversioned: false };
  } catch (error) {
    if (!(error instanceof UnknownConfigurationKindError)) throw error;
    const { object } = decodeConfigurationLeniently<DecodedLine>(line, { ...scheme, defaultKind: UNVERSIONED });
    return { policy: policyOfV0(object), isUnversioned: true };
  }
}
