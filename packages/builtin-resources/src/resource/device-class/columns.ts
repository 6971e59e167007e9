import type { DeviceClass } from '@apiserver/api/resource/v1';
import type { Column } from '@apiserver/apiserver-contracts';
import { ageColumn, nameColumn } from '../../columns/common-columns.js';

/** Upstream: printDeviceClass of pkg/printers/internalversion/printers.go */
export const deviceClassColumns: readonly Column<DeviceClass>[] = [nameColumn, ageColumn];
