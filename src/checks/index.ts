import type { Settings } from '../config/settings.ts'
import type { Check } from '../evaluate/check.ts'
import { apiClientLeastPrivilege } from './api-client-least-privilege.ts'
import { apiClientRoleActive } from './api-client-role-active.ts'
import { apiClientSecretLifetime } from './api-client-secret-lifetime.ts'
import { apiClientSecretNotExpired } from './api-client-secret-not-expired.ts'
import { apiClientSecretNotExpiring } from './api-client-secret-not-expiring.ts'
import { authMfaPolicyEnabled } from './auth-mfa-policy-enabled.ts'
import { authSettingsUnchanged } from './auth-settings-unchanged.ts'
import { authSsoEnforced } from './auth-sso-enforced.ts'
import { documentCurrent } from './document-current.ts'
import { documentNameUnique } from './document-name-unique.ts'
import { documentProcessingFinished } from './document-processing-finished.ts'
import { documentRequiredPresent } from './document-required-present.ts'
import { documentStatusKnown } from './document-status-known.ts'
import { ownChecks } from './own/own-check.ts'
import { permissionCatalogueKnown } from './permission-catalogue-known.ts'
import { rolePermissionsUnchanged } from './role-permissions-unchanged.ts'
import { userInvitationAccepted } from './user-invitation-accepted.ts'
import { userLeastPrivilege } from './user-least-privilege.ts'
import { userMfaEnrolled } from './user-mfa-enrolled.ts'
import { userRoleActive } from './user-role-active.ts'

export const checks = [
  apiClientLeastPrivilege,
  apiClientRoleActive,
  apiClientSecretLifetime,
  apiClientSecretNotExpired,
  apiClientSecretNotExpiring,
  authMfaPolicyEnabled,
  authSettingsUnchanged,
  authSsoEnforced,
  documentCurrent,
  documentNameUnique,
  documentProcessingFinished,
  documentRequiredPresent,
  documentStatusKnown,
  permissionCatalogueKnown,
  rolePermissionsUnchanged,
  userInvitationAccepted,
  userLeastPrivilege,
  userMfaEnrolled,
  userRoleActive,
] as const satisfies readonly Check[]

/** The checks of a configuration: the built-in ones, then the own checks. */
export function checksOf(settings: Pick<Settings, 'ownChecks'>): readonly Check[] {
  return [...checks, ...ownChecks(settings.ownChecks)]
}
