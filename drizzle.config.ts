import { defineConfig } from 'drizzle-kit'

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/mirror/schema/index.ts',
  out: './drizzle',
})
