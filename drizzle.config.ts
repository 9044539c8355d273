import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/mirror/schema/drizzle-kit.cjs',
  out: './drizzle',
})
