-- Wattle's language server for Neovim 0.11 or newer.
-- Copy this file to ~/.config/nvim/lsp/wattle.lua (or add this folder's parent to 'runtimepath'), then in init.lua:
--
--   vim.lsp.enable("wattle")
--   vim.lsp.inlay_hint.enable(true)
--
-- Lenses are above methods after vim.lsp.codelens.refresh(); vim.lsp.codelens.run() opens the page of the run at the method.

return {
  cmd = { "wattle", "lsp" },
  filetypes = { "kotlin", "java", "c", "cpp", "rust" },
  root_markers = { "wattle.toml", ".git" },
  -- Every one of these is optional; the values are the defaults.
  init_options = {
    hints = true,
    lineHints = true,
    lenses = true,
    minimumShare = 0.0,
  },
}
