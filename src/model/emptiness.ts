/** Why a list that looks incomplete is `suspect_empty`; the places are stored, so that new ones come last. */
export const emptinesses = [
  /** No record at all. */
  'list',
  /** A page that the one before it had announced came back empty. */
  'announced-page',
  /** Roles of which none grants a permission. */
  'no-grants',
  /** The role of the daemon's own API client without the permission by which it reads roles. */
  'own-role',
] as const

export type Emptiness = (typeof emptinesses)[number]
