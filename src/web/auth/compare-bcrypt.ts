/** Whether a password belongs to a bcrypt hash; computed beside the event loop. */
export type Compare = (password: string, hash: string) => Promise<boolean>

/** The native library is loaded with the first password, so that only who has users needs it. */
export const compareBcrypt: Compare = async (password, hash) => {
  const { default: bcrypt } = await import('bcrypt')
  // The same algorithm under the name that Apache gave it.
  return bcrypt.compare(password, hash.replace(/^\$2y\$/, '$2b$'))
}
