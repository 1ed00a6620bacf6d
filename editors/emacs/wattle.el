;;; wattle.el --- Energy beside the code, by Wattle's language server -*- lexical-binding: t; -*-

;; For Emacs 29 or newer with Eglot, which is part of it:
;;
;;   (load "/path/to/wattle.el")
;;
;; then M-x eglot in a Kotlin or Java file.  Eglot talks to one server for a file; where another one is used for the language, start this one
;; with C-u M-x eglot RET wattle lsp RET.

;;; Code:

(require 'eglot)

(add-to-list 'eglot-server-programs
             '((kotlin-mode kotlin-ts-mode java-mode java-ts-mode)
               . ("wattle" "lsp" :initializationOptions (:hints t :lineHints t :minimumShare 0.0))))

(add-hook 'eglot-managed-mode-hook #'eglot-inlay-hints-mode)

(provide 'wattle)
;;; wattle.el ends here
