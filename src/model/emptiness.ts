/** Why a list is `suspect_empty`. Positions are stored, so append new ones at the end. */
export const emptinesses = [
  'list',
  /** A page announced by the page before is empty. */
  'announced-page',
  /** No role grants a permission. */
  'no-grants',
  /** The role of tenantwatch's own API client lacks the permission to read roles. */
  'own-role',
] as const

export type Emptiness = (typeof emptinesses)[number]
